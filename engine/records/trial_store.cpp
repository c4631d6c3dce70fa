#include "engine/records/trial_store.h"

#include <algorithm>
#include <cctype>

#include "engine/records/postgres/postgres_store.h"
#include "engine/records/sqlite/sqlite_store.h"

namespace tw::records {

bool is_server(std::string_view place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

std::string shown_place(std::string const& place) {
  size_t start = place.find("://");
  if (!is_server(place)) return place;
  start += 3;
  size_t query = std::min(place.find('?', start), place.size());
  std::string head = place.substr(0, query), tail = place.substr(query);
  // A password may hold any character, the one that ends it and those after it, too.
  size_t at = head.rfind('@');
  if (at == std::string::npos && (at = place.rfind('@')) != std::string::npos) {
    size_t colon = head.find(':', start);
    size_t end = colon == std::string::npos ? colon : head.find('/', colon);
    bool is_port =
        colon == std::string::npos ||
        (end != std::string::npos &&
         std::all_of(head.begin() + std::ptrdiff_t(colon) + 1, head.begin() + std::ptrdiff_t(end),
                     [](unsigned char c) { return std::isdigit(c) != 0; }));
    if (is_port)
      at = std::string::npos;
    else
      head = place, tail.clear();
  }
  if (size_t colon = head.find(':', start); at != std::string::npos && colon < at)
    head.erase(colon, at - colon);
  for (size_t word = 0; (word = tail.find("password=", word)) != std::string::npos;) {
    word += std::string_view("password=").size();
    tail.replace(word, std::min(tail.find('&', word), tail.size()) - word, "...");
  }
  return head + tail;
}

Result<std::unique_ptr<TrialStore>> open_store(std::string const& place,
                                               StoreOptions const& options) {
  return is_server(place) ? open_postgres_store(place, options) : open_sqlite_store(place, options);
}

Status each_trial(TrialStore& store, Query query,
                  std::function<Status(StoredTrial const&)> const& visit) {
  query.order = Order::kOldest;
  query.offset = 0;
  query.limit = 1000;
  while (true) {
    size_t known = query.damaged ? query.damaged->size() : 0;
    TRY_ASSIGN(std::vector<StoredTrial> page, store.find(query));
    for (StoredTrial const& stored : page) TRY(visit(stored));
    int64_t last = page.empty() ? query.after_id : page.back().id;
    for (size_t i = known; query.damaged && i < query.damaged->size(); ++i)
      last = std::max(last, (*query.damaged)[i].id);
    if (last == query.after_id) return {};
    query.after_id = last;
  }
}

}  // namespace tw::records
