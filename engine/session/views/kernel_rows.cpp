#include "engine/session/kernel_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <sstream>
#include <tuple>

#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

std::array<KernelKeyInfo, 11> const kKeys{{
    {KernelKey::kModel, "model", "Model's order", "as the model runs them", false},
    {KernelKey::kName, "name", "Kernel", "by name", false},
    {KernelKey::kWork, "work", "work", "operations of one run", true},
    {KernelKey::kTime, "time", "time", "time of one run", true},
    {KernelKey::kShare, "share", "share", "part of the time of all kernels", true},
    {KernelKey::kRoof, "roof", "of roof", "part of what the machine can do", true},
    {KernelKey::kCount, "count", "runs", "how often the model runs it", true},
    {KernelKey::kBytes, "bytes", "bytes", "bytes of inputs and outputs", true},
    {KernelKey::kState, "state", "state", "plain, default, hand or tuned", false},
    {KernelKey::kBound, "bound", "bound", "bottleneck at best", false},
    {KernelKey::kOperators, "operators", "operators", "the operators that it is fused of", false},
}};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

bool has(std::string const& text, std::string const& word) {
  return lower(text).find(word) != std::string::npos;
}

bool matches(KernelRow const& row, std::string const& word) {
  auto after = [&](std::string_view head) -> std::optional<std::string> {
    if (!word.starts_with(head)) return std::nullopt;
    return word.substr(head.size());
  };
  if (auto op = after("op:")) return has(row.operators, *op);
  if (auto state = after("state:")) return has(state_word(row.state), *state);
  if (auto bound = after("bound:")) return has(bound_word(row), *bound);
  return has(row.name, word) || has(row.operators, word) || has(row.shape, word) ||
         has(state_word(row.state), word) || has(bound_word(row), word);
}

/// What rows are sorted by: unknown ones last, whatever the direction.
struct Value {
  bool known = true;
  double number = 0;
  std::string text = {};
};

Value value_of(KernelRow const& row, KernelKey key, size_t place) {
  auto optional = [](std::optional<double> one) { return Value{one.has_value(), one.value_or(0)}; };
  switch (key) {
    case KernelKey::kModel:
      return {true, double(place)};
    case KernelKey::kName:
      return {true, 0, row.name};
    case KernelKey::kWork:
      return {true, double(row.flops)};
    case KernelKey::kTime:
      return optional(time_of(row));
    case KernelKey::kShare:
      return optional(time_in_model(row));
    case KernelKey::kRoof:
      return optional(row.fraction_of_roof);
    case KernelKey::kCount:
      return {true, double(row.count)};
    case KernelKey::kBytes:
      return {true, double(row.bytes)};
    case KernelKey::kState:
      return {true, double(row.state)};
    case KernelKey::kBound:
      return {!bound_word(row).empty(), 0, bound_word(row)};
    case KernelKey::kOperators:
      return {true, 0, row.operators};
  }
  return {};
}

}  // namespace

std::span<KernelKeyInfo const> kernel_keys() { return kKeys; }

KernelKeyInfo const& info_of(KernelKey key) { return kKeys[size_t(key)]; }

Result<KernelKey> kernel_key(std::string_view name) {
  std::string names;
  for (KernelKeyInfo const& one : kKeys) {
    if (one.name == name) return one.key;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  return bad_input("unknown_column",
                   fmt::format("kernels have no column '{}'; the columns are {}", name, names));
}

std::vector<int> chosen_rows(KernelTable const& table, KernelOrder order,
                             std::string const& words) {
  std::vector<std::string> wanted;
  std::istringstream stream(lower(words));
  for (std::string word; stream >> word;) wanted.push_back(word);
  std::vector<int> rows;
  std::vector<Value> values;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    values.push_back(value_of(table.rows[i], order.key, i));
    if (std::ranges::all_of(wanted, [&](auto const& word) { return matches(table.rows[i], word); }))
      rows.push_back(int(i));
  }
  bool down = info_of(order.key).largest_first != order.reversed;
  std::ranges::stable_sort(rows, [&](int first, int second) {
    Value const &one = values[size_t(first)], &other = values[size_t(second)];
    if (one.known != other.known) return one.known;
    auto less = [](Value const& a, Value const& b) {
      return std::tie(a.number, a.text) < std::tie(b.number, b.text);
    };
    return down ? less(other, one) : less(one, other);
  });
  return rows;
}

std::string state_word(KernelState state) {
  static char const* const kWords[] = {"plain", "default", "hand", "tuned"};
  return kWords[size_t(state)];
}

std::string bound_word(KernelRow const& row) {
  if (!row.roof) return {};
  return row.roof->arithmetic ? "arithmetic" : row.roof->level;
}

std::optional<KernelShare> share_of(KernelTable const& table, KernelRow const& row) {
  auto own = time_in_model(row);
  if (!own) return std::nullopt;
  double all = 0;
  bool missing = false;
  for (KernelRow const& one : table.rows) {
    auto time = time_in_model(one);
    // What the user wrote beside the model is no part of its time.
    if (!one.own_text.empty() && &one != &row) continue;
    all += time.value_or(0);
    missing = missing || !time;
  }
  if (all <= 0) return std::nullopt;
  return KernelShare{*own / all, missing};
}

std::string share_text(KernelShare const& share) {
  return (share.at_most ? "≤ " : "") + percent_text(share.share);
}

}  // namespace tw::session
