#include "engine/tuner/search/search.h"

#include <fmt/format.h>

namespace tw {

std::vector<SearchRow> const& searches() {
  static std::vector<SearchRow> const rows = {learned_search(), genetic_search(), descent_search(),
                                              modelled_search(), random_search()};
  return rows;
}

Result<SearchRow> find_search(std::string_view name) {
  std::string known;
  for (SearchRow const& row : searches()) {
    if (row.name == name || name.empty()) return row;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  return bad_input("unknown_search",
                   fmt::format("there is no search '{}'; there are {}", name, known));
}

}  // namespace tw
