#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "targets/shared/launch_record/launch_record.h"

namespace tw::launch_record {
namespace {

using Json = nlohmann::json;
using Kind = Number::Kind;

constexpr std::array<std::string_view, 9> kWords{"",   "size", "+",   "-",  "*",
                                                 "//", "%",    "min", "max"};
/// So that no record takes long to check.
constexpr size_t kMostSteps = 256, kMostArguments = 1024;

/// A number is a number, or ["size", 0, "+", ...] in postfix order.
Json to_json(Number const& number) {
  Json list = Json::array();
  for (Number::Step const& step : number.steps) {
    if (step.kind != Kind::kConstant) list.push_back(kWords[size_t(step.kind)]);
    if (step.kind <= Kind::kSize) list.push_back(step.value);
  }
  return list.size() == 1 ? list[0] : list;
}

Json to_json(Argument const& argument) {
  if (auto const* tensor = std::get_if<BufferArgument>(&argument))
    return {{"buffer", tensor->buffer}, {"byte", tensor->byte}, {"element", tensor->element_bytes}};
  if (auto const* number = std::get_if<NumberArgument>(&argument))
    return {{"number", to_json(number->number)}};
  return {{"fault", true}};
}

template <typename List>
Json list_of(List const& values) {
  Json list = Json::array();
  for (auto const& one : values) list.push_back(to_json(one));
  return list;
}

/// Reads what `to_text` writes, and keeps the first thing that is wrong.
class Reader {
public:
  Status const& status() const { return status_; }

  KernelRecord record(Json const& json) {
    KernelRecord record;
    record.symbol = text(json, "symbol");
    record.buffers = int32_t(integer(json, "buffers", 1 << 20));
    record.sizes = int32_t(integer(json, "sizes", 64));
    if (record.sizes > 0 && record.buffers == 0) wrong("sizes without a buffer");
    for (Json const& one : array(json, "launches", kMostLaunches))
      record.launches.push_back(launch(one, record));
    return record;
  }

private:
  Launch launch(Json const& json, KernelRecord const& record) {
    Launch launch;
    launch.function = text(json, "function");
    for (auto [name, extents] : {std::pair{"grid", &launch.grid}, {"block", &launch.block}}) {
      auto list = array(json, name, 3);
      if (list.size() != 3) wrong(fmt::format("'{}' has not three extents", name));
      for (size_t i = 0; i < 3 && status_; ++i) (*extents)[i] = number(list[i], record);
    }
    for (Json const& one : array(json, "arguments", kMostArguments))
      launch.arguments.push_back(argument(one, record));
    if (json.is_object() && json.contains("shared"))
      launch.shared_bytes = integer(json, "shared", int64_t(1) << 31);
    return launch;
  }

  Argument argument(Json const& json, KernelRecord const& record) {
    if (json.is_object() && json.contains("number"))
      return NumberArgument{number(json["number"], record)};
    if (json.is_object() && json.contains("fault")) return FaultArgument{};
    BufferArgument tensor;
    tensor.buffer = int32_t(integer(json, "buffer", record.buffers - 1));
    tensor.byte = integer(json, "byte", int64_t(1) << 48);
    tensor.element_bytes = int32_t(integer(json, "element", 16));
    if (tensor.element_bytes == 0 || tensor.byte % std::max(tensor.element_bytes, 1) != 0)
      wrong("a tensor does not begin at one of its elements");
    return tensor;
  }

  Number number(Json const& json, KernelRecord const& record) {
    Number made;
    Json list = json.is_array() ? json : Json::array({json});
    if (list.size() > kMostSteps) return wrong("a number is too long"), made;
    for (size_t i = 0; i < list.size() && status_; ++i) {
      Json const& one = list[i];
      if (one.is_number_integer()) {
        made.steps.push_back({Kind::kConstant, one.get<int64_t>()});
        continue;
      }
      Kind kind = one.is_string() ? kind_of(one.get_ref<std::string const&>()) : Kind::kConstant;
      if (kind == Kind::kConstant) return wrong("a number has an unknown word"), made;
      int64_t size = 0;
      if (kind == Kind::kSize) {
        bool given = ++i < list.size() && list[i].is_number_integer();
        size = given ? list[i].get<int64_t>() : -1;
        if (size < 0 || size >= record.sizes) wrong("a number is of a size that is none");
      }
      made.steps.push_back({kind, size});
    }
    if (status_ && !balanced(made)) wrong("a number's operands and operators do not match");
    return made;
  }

  static bool balanced(Number const& number) {
    int depth = 0;
    for (Number::Step const& step : number.steps) {
      depth += step.kind <= Kind::kSize ? 1 : -1;
      if (depth < 1) return false;
    }
    return depth == 1;
  }

  static Kind kind_of(std::string const& word) {
    for (size_t i = 1; i < kWords.size(); ++i)
      if (kWords[i] == word) return Kind(i);
    return Kind::kConstant;
  }

  void wrong(std::string const& what) {
    if (status_) status_ = bad_input("bad_launch_record", "the record of launches: " + what);
  }

  Json const& member(Json const& json, char const* name) {
    static Json const none;
    if (!json.is_object()) return wrong("an object is missing"), none;
    auto found = json.find(name);
    if (found == json.end()) return wrong(fmt::format("'{}' is missing", name)), none;
    return *found;
  }
  std::string text(Json const& json, char const* name) {
    Json const& found = member(json, name);
    if (found.is_string() && !found.get_ref<std::string const&>().empty())
      return found.get<std::string>();
    return wrong(fmt::format("'{}' is no name", name)), "";
  }
  int64_t integer(Json const& json, char const* name, int64_t most) {
    Json const& found = member(json, name);
    int64_t value = found.is_number_integer() ? found.get<int64_t>() : -1;
    if (value >= 0 && value <= most) return value;
    return wrong(fmt::format("'{}' is no number from 0 to {}", name, most)), 0;
  }
  std::vector<Json> array(Json const& json, char const* name, size_t most) {
    Json const& found = member(json, name);
    if (found.is_array() && found.size() <= most) return {found.begin(), found.end()};
    return wrong(fmt::format("'{}' is no list of at most {}", name, most)), std::vector<Json>();
  }

  Status status_;
};

}  // namespace

std::string to_text(KernelRecord const& record) {
  Json json = {{"symbol", record.symbol},
               {"buffers", record.buffers},
               {"sizes", record.sizes},
               {"launches", Json::array()}};
  for (Launch const& launch : record.launches) {
    Json& made = json["launches"].emplace_back(Json{{"function", launch.function},
                                                    {"grid", list_of(launch.grid)},
                                                    {"block", list_of(launch.block)},
                                                    {"arguments", list_of(launch.arguments)}});
    if (launch.shared_bytes > 0) made["shared"] = launch.shared_bytes;
  }
  return json.dump();
}

Result<KernelRecord> parse_record(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    return bad_input("bad_launch_record", "the record of launches is no JSON");
  Reader reader;
  KernelRecord record = reader.record(json);
  TRY(reader.status());
  return record;
}

}  // namespace tw::launch_record
