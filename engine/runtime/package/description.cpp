#include "engine/runtime/package/description.h"

#include <charconv>
#include <initializer_list>

#include "engine/runtime/package/checksum.h"
#include "engine/runtime/package/json.h"

namespace tw::package {
namespace {

using json::Kind;
using json::quoted;
using json::Value;

constexpr std::string_view kRegions[] = {"nothing", "input", "output", "parameters", "arena"};
constexpr std::string_view kChecksumKey = "\"checksum_of_the_above\":";
constexpr int64_t kMostBytes = int64_t(1) << 40;

std::string hexadecimal(uint64_t value) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4)
    text.push_back("0123456789abcdef"[value >> shift & 15]);
  return text;
}

uint64_t checksum_of_text(std::string_view text) {
  return checksum_of({reinterpret_cast<std::byte const*>(text.data()), text.size()});
}

// ---- writing ----------------------------------------------------------------------------------

/// "[a, b]" of what `one` makes of each item; `between` may hold a line break.
template <typename Items, typename One>
std::string list(Items const& items, std::string_view between, One one) {
  std::string text;
  for (auto const& item : items) text += (text.empty() ? "" : std::string(between)) + one(item);
  return "[" + text + "]";
}

std::string object(std::initializer_list<std::pair<char const*, std::string>> members) {
  std::string text;
  for (auto const& [name, value] : members)
    text += (text.empty() ? "" : ", ") + quoted(name) + ": " + value;
  return "{" + text + "}";
}

std::string number(int64_t value) { return std::to_string(value); }

std::string text_of(Tensor const& tensor) {
  return object({{"name", quoted(tensor.name)},
                 {"type", quoted(to_text(tensor.type))},
                 {"shape", list(tensor.shape, ", ", number)}});
}

std::string text_of(Buffer const& buffer) {
  return "[" + quoted(kRegions[size_t(buffer.region)]) + ", " + number(buffer.at) + ", " +
         number(buffer.bytes) + "]";
}

std::string text_of(File const& file) {
  return object({{"name", quoted(file.name)},
                 {"bytes", number(file.bytes)},
                 {"checksum", quoted(hexadecimal(file.checksum))}});
}

std::string text_of(Target const& target) {
  return object({{"name", quoted(target.name)},
                 {"architecture", quoted(target.architecture)},
                 {"processor", quoted(target.processor)},
                 {"features", list(target.features, ", ", quoted)}});
}

std::string text_of(Kernel const& kernel) {
  return object({{"symbol", quoted(kernel.symbol)},
                 {"operators", quoted(kernel.operators)},
                 {"script", quoted(kernel.script)}});
}

std::string text_of(Step const& step) {
  return object({{"kernel", quoted(step.symbol)},
                 {"makes", quoted(step.makes)},
                 {"buffers", list(step.buffers, ", ", [](auto const& b) { return text_of(b); })}});
}

// ---- reading ----------------------------------------------------------------------------------

std::unexpected<Error> bad(std::string what) {
  return bad_input("bad_package", "the description is not valid: " + what);
}

Result<Value const*> member(Value const& of, char const* name, Kind kind) {
  Value const* value = of.find(name);
  if (value == nullptr) return bad(std::string("'") + name + "' is missing");
  if (value->kind != kind) return bad(std::string("'") + name + "' is of the wrong kind");
  return value;
}

Result<std::string> text_in(Value const& of, char const* name) {
  TRY_ASSIGN(Value const* value, member(of, name, Kind::kText));
  return value->text;
}

Result<int64_t> size_in(Value const& of, char const* name) {
  TRY_ASSIGN(Value const* value, member(of, name, Kind::kNumber));
  if (value->number < 0 || value->number > kMostBytes)
    return bad(std::string("'") + name + "' is " + std::to_string(value->number));
  return value->number;
}

/// What `read` makes of each item of the list.
template <typename T>
Result<std::vector<T>> list_in(Value const& of, char const* name, Result<T> (*read)(Value const&)) {
  TRY_ASSIGN(Value const* value, member(of, name, Kind::kList));
  std::vector<T> items;
  for (Value const& one : value->items) {
    TRY_ASSIGN(T item, read(one));
    items.push_back(std::move(item));
  }
  return items;
}

Result<std::string> read_text(Value const& value) {
  if (value.kind != Kind::kText) return bad("a text is expected in a list");
  return value.text;
}

Result<int64_t> read_extent(Value const& value) {
  if (value.kind != Kind::kNumber || value.number < 0 || value.number > kMostBytes)
    return bad("an extent of a shape is no size");
  return value.number;
}

Result<Tensor> read_tensor(Value const& value) {
  Tensor tensor;
  TRY_ASSIGN(tensor.name, text_in(value, "name"));
  TRY_ASSIGN(std::string type, text_in(value, "type"));
  auto known = parse_dtype(type);
  if (!known) return bad("there is no type '" + type + "'");
  tensor.type = *known;
  TRY_ASSIGN(tensor.shape, list_in<int64_t>(value, "shape", read_extent));
  tensor.bytes = size_of(tensor.type);
  for (int64_t extent : tensor.shape) {
    if (extent > 0 && tensor.bytes > kMostBytes / extent)
      return bad("the tensor '" + tensor.name + "' is too large");
    tensor.bytes *= extent;
  }
  return tensor;
}

Result<Buffer> read_buffer(Value const& value) {
  Buffer buffer;
  auto const& items = value.items;
  if (items.size() != 3 || items[0].kind != Kind::kText || items[1].kind != Kind::kNumber ||
      items[2].kind != Kind::kNumber)
    return bad("a buffer is a region and two numbers");
  size_t region = 0;
  while (region < std::size(kRegions) && kRegions[region] != items[0].text) ++region;
  if (region == std::size(kRegions)) return bad("there is no region '" + items[0].text + "'");
  buffer = {Region(region), items[1].number, items[2].number};
  if (buffer.at < 0 || buffer.at > kMostBytes || buffer.bytes < 0 || buffer.bytes > kMostBytes)
    return bad("a buffer lies nowhere");
  return buffer;
}

Result<File> read_file(Value const& of, char const* name) {
  TRY_ASSIGN(Value const* value, member(of, name, Kind::kObject));
  File file;
  TRY_ASSIGN(file.name, text_in(*value, "name"));
  TRY_ASSIGN(file.bytes, size_in(*value, "bytes"));
  TRY_ASSIGN(std::string digits, text_in(*value, "checksum"));
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), file.checksum, 16);
  if (error != std::errc() || end != digits.data() + digits.size())
    return bad(std::string("the checksum of '") + name + "' is no number");
  // A plain name: nothing outside of the folder is ever opened.
  if (file.name.empty() || file.name.starts_with('.') || file.name.find('/') != file.name.npos ||
      file.name.find('\0') != file.name.npos)
    return bad("'" + file.name + "' is no name of a file in the folder");
  return file;
}

Result<Kernel> read_kernel(Value const& value) {
  Kernel kernel;
  TRY_ASSIGN(kernel.symbol, text_in(value, "symbol"));
  TRY_ASSIGN(kernel.operators, text_in(value, "operators"));
  TRY_ASSIGN(kernel.script, text_in(value, "script"));
  return kernel;
}

Result<Step> read_step(Value const& value) {
  Step step;
  TRY_ASSIGN(step.symbol, text_in(value, "kernel"));
  TRY_ASSIGN(step.makes, text_in(value, "makes"));
  TRY_ASSIGN(step.buffers, list_in<Buffer>(value, "buffers", read_buffer));
  return step;
}

Result<Target> read_target(Value const& of) {
  TRY_ASSIGN(Value const* value, member(of, "target", Kind::kObject));
  Target target;
  TRY_ASSIGN(target.name, text_in(*value, "name"));
  TRY_ASSIGN(target.architecture, text_in(*value, "architecture"));
  TRY_ASSIGN(target.processor, text_in(*value, "processor"));
  TRY_ASSIGN(target.features, list_in<std::string>(*value, "features", read_text));
  return target;
}

/// A buffer must lie inside of its region, and may take no more than is there.
Status check(Buffer const& buffer, Description const& whole) {
  auto of_tensors = [&](std::vector<Tensor> const& tensors) {
    return size_t(buffer.at) < tensors.size() && buffer.bytes <= tensors[size_t(buffer.at)].bytes;
  };
  auto of_bytes = [&](int64_t size) {
    return buffer.at % 64 == 0 && buffer.bytes <= size && buffer.at <= size - buffer.bytes;
  };
  bool fits = buffer.region == Region::kNothing      ? buffer.at == 0 && buffer.bytes == 0
              : buffer.region == Region::kInput      ? of_tensors(whole.inputs)
              : buffer.region == Region::kOutput     ? of_tensors(whole.outputs)
              : buffer.region == Region::kParameters ? of_bytes(whole.parameters.bytes)
                                                     : of_bytes(whole.arena_bytes);
  if (fits) return {};
  return bad("the buffer " + text_of(buffer) + " lies outside of its region");
}

Status check(Description const& whole) {
  for (Step const& step : whole.steps)
    for (Buffer const& buffer : step.buffers) TRY(check(buffer, whole));
  if (whole.results.size() != whole.outputs.size()) return bad("not every output has a place");
  for (size_t i = 0; i < whole.results.size(); ++i) {
    TRY(check(whole.results[i], whole));
    if (whole.results[i].region == Region::kNothing ||
        whole.results[i].bytes != whole.outputs[i].bytes)
      return bad("the output '" + whole.outputs[i].name + "' has no place of its size");
  }
  return {};
}

Result<Description> read_description(Value const& value) {
  Description description;
  TRY_ASSIGN(description.name, text_in(value, "name"));
  TRY_ASSIGN(description.made_by, text_in(value, "made_by"));
  TRY_ASSIGN(description.target, read_target(value));
  TRY_ASSIGN(description.library, read_file(value, "library"));
  TRY_ASSIGN(description.parameters, read_file(value, "parameters"));
  TRY_ASSIGN(description.arena_bytes, size_in(value, "arena_bytes"));
  TRY_ASSIGN(description.workspace_bytes, size_in(value, "workspace_bytes"));
  TRY_ASSIGN(description.inputs, list_in<Tensor>(value, "inputs", read_tensor));
  TRY_ASSIGN(description.outputs, list_in<Tensor>(value, "outputs", read_tensor));
  TRY_ASSIGN(description.results, list_in<Buffer>(value, "results", read_buffer));
  TRY_ASSIGN(description.kernels, list_in<Kernel>(value, "kernels", read_kernel));
  TRY_ASSIGN(description.steps, list_in<Step>(value, "steps", read_step));
  TRY(check(description));
  return description;
}

}  // namespace

std::string to_text(Description const& d) {
  auto one = [](auto const& item) { return text_of(item); };
  std::string text = "{\n";
  auto add = [&](char const* name, std::string const& value) {
    text += quoted(name) + ": " + value + ",\n";
  };
  add("tilewright_package", number(kVersion));
  add("name", quoted(d.name));
  add("made_by", quoted(d.made_by));
  add("target", text_of(d.target));
  add("library", text_of(d.library));
  add("parameters", text_of(d.parameters));
  add("arena_bytes", number(d.arena_bytes));
  add("workspace_bytes", number(d.workspace_bytes));
  add("inputs", list(d.inputs, ",\n  ", one));
  add("outputs", list(d.outputs, ",\n  ", one));
  add("results", list(d.results, ", ", one));
  add("kernels", list(d.kernels, ",\n  ", one));
  add("steps", list(d.steps, ",\n  ", one));
  return text + std::string(kChecksumKey) + " " + quoted(hexadecimal(checksum_of_text(text))) +
         "\n}\n";
}

Result<Description> parse_description(std::string_view text) {
  auto parsed = json::parse(text);
  if (!parsed) return bad(parsed.error().message);
  TRY_ASSIGN(Value const* version, member(*parsed, "tilewright_package", Kind::kNumber));
  if (version->number != kVersion)
    return bad_input("package_version",
                     "the package is of version " + std::to_string(version->number) +
                         ", this runtime reads version " + std::to_string(kVersion));
  size_t at = text.rfind(kChecksumKey);
  Value const* stated = parsed->find("checksum_of_the_above");
  if (at == text.npos || stated == nullptr ||
      stated->text != hexadecimal(checksum_of_text(text.substr(0, at))))
    return bad_input("damaged_package", "the description's checksum is wrong: it was changed");
  return read_description(*parsed);
}

}  // namespace tw::package
