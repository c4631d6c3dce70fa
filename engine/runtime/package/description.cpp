#include "engine/runtime/package/description.h"

#include <charconv>

#include "engine/runtime/package/description_parts.h"
#include "engine/runtime/package/json.h"

namespace tw::package {
namespace {

constexpr int64_t kMostPlaces = 64;

using json::Kind;
using json::Value;

constexpr int64_t kMostBytes = int64_t(1) << 40;

std::unexpected<Error> bad(std::string what) {
  return bad_input("bad_package", "the description is not valid: " + what);
}

Result<Value const*> member(Value const& of, char const* name, Kind kind) {
  Value const* value = of.find(name);
  if (value == nullptr) return bad(std::string("'") + name + "' is missing");
  if (value->kind != kind) return bad(std::string("'") + name + "' has the wrong type");
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
  if (value.kind != Kind::kText) return bad("a string is expected in a list");
  return value.text;
}

Result<int64_t> read_extent(Value const& value) {
  if (value.kind != Kind::kNumber || value.number < 0 || value.number > kMostBytes)
    return bad("an extent of a shape is not a size");
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
    return bad("a buffer must be a region and two numbers");
  size_t region = 0;
  while (region < std::size(kRegions) && kRegions[region] != items[0].text) ++region;
  if (region == std::size(kRegions)) return bad("there is no region '" + items[0].text + "'");
  buffer = {Region(region), items[1].number, items[2].number};
  if (buffer.at < 0 || buffer.at > kMostBytes || buffer.bytes < 0 || buffer.bytes > kMostBytes)
    return bad("a buffer is in no region");
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
    return bad(std::string("the checksum of '") + name + "' is not a number");
  // A plain name: nothing outside of the folder is ever opened.
  if (file.name.empty() || file.name.starts_with('.') || file.name.find('/') != file.name.npos ||
      file.name.find('\0') != file.name.npos)
    return bad("'" + file.name + "' is not the name of a file in the folder");
  return file;
}

Result<Kernel> read_kernel(Value const& value) {
  Kernel kernel;
  TRY_ASSIGN(kernel.symbol, text_in(value, "symbol"));
  TRY_ASSIGN(kernel.operators, text_in(value, "operators"));
  TRY_ASSIGN(kernel.script, text_in(value, "script"));
  return kernel;
}

Result<Buffer> buffer_in(Value const& of, char const* name) {
  TRY_ASSIGN(Value const* value, member(of, name, Kind::kList));
  return read_buffer(*value);
}

Result<Copy> read_copy(Value const& value) {
  if (value.items.size() != 2) return bad("a copy must name two buffers");
  Copy copy;
  TRY_ASSIGN(copy.from, read_buffer(value.items[0]));
  TRY_ASSIGN(copy.to, read_buffer(value.items[1]));
  return copy;
}

Result<Row> read_row(Value const& value) {
  Row row;
  TRY_ASSIGN(row.all, buffer_in(value, "all"));
  TRY_ASSIGN(row.row, buffer_in(value, "row"));
  TRY_ASSIGN(row.outer, size_in(value, "outer"));
  TRY_ASSIGN(int64_t backward, size_in(value, "backward"));
  if (backward > 1) return bad("'backward' is " + std::to_string(backward));
  row.backward = backward == 1;
  return row;
}

Result<Loop> read_loop(Value const& value) {
  Loop loop;
  TRY_ASSIGN(loop.most, buffer_in(value, "most"));
  TRY_ASSIGN(loop.number, buffer_in(value, "number"));
  TRY_ASSIGN(loop.next, buffer_in(value, "next"));
  TRY_ASSIGN(loop.begin, list_in<Copy>(value, "begin", read_copy));
  TRY_ASSIGN(loop.end, list_in<Copy>(value, "end", read_copy));
  TRY_ASSIGN(loop.taken, list_in<Row>(value, "taken", read_row));
  TRY_ASSIGN(loop.given, list_in<Row>(value, "given", read_row));
  return loop;
}

Result<int> place_in(Value const& value, char const* name) {
  TRY_ASSIGN(int64_t place, size_in(value, name));
  if (place > kMostPlaces) return bad(std::string("'") + name + "' is " + std::to_string(place));
  return int(place);
}

Result<Step> read_step(Value const& value);

Result<Body> read_body(Value const& value) {
  Body body;
  TRY_ASSIGN(body.refuses, text_in(value, "refuses"));
  TRY_ASSIGN(body.steps, list_in<Step>(value, "steps", read_step));
  TRY_ASSIGN(body.copies, list_in<Copy>(value, "copies", read_copy));
  return body;
}

Status read_control(Value const& value, Step& step) {
  TRY_ASSIGN(std::string control, text_in(value, "control"));
  if (control != "if" && control != "loop") return bad("there is no step '" + control + "'");
  step.kind = control == "if" ? StepKind::kIf : StepKind::kLoop;
  TRY_ASSIGN(step.condition, buffer_in(value, "condition"));
  TRY_ASSIGN(step.bodies, list_in<Body>(value, "bodies", read_body));
  if (step.kind == StepKind::kIf) return {};
  TRY_ASSIGN(Value const* loop, member(value, "loop", Kind::kObject));
  TRY_ASSIGN(step.loop, read_loop(*loop));
  return {};
}

Result<Step> read_step(Value const& value) {
  Step step;
  TRY_ASSIGN(step.makes, text_in(value, "makes"));
  if (value.find("place") != nullptr) {
    TRY_ASSIGN(step.place, place_in(value, "place"));
  }
  if (value.find("control") != nullptr) {
    TRY(read_control(value, step));
    return step;
  }
  if (value.find("copy_from") != nullptr) {
    step.kind = StepKind::kCopy;
    TRY_ASSIGN(step.from, place_in(value, "copy_from"));
  } else {
    TRY_ASSIGN(step.symbol, text_in(value, "kernel"));
  }
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

Result<Site> read_site(Value const& value) {
  Site site;
  TRY_ASSIGN(site.target, read_target(value));
  TRY_ASSIGN(site.library, read_file(value, "library"));
  TRY_ASSIGN(site.arena_bytes, size_in(value, "arena_bytes"));
  TRY_ASSIGN(site.workspace_bytes, size_in(value, "workspace_bytes"));
  return site;
}

Result<Description> read_description(Value const& value) {
  Description description;
  TRY_ASSIGN(static_cast<Site&>(description), read_site(value));
  TRY_ASSIGN(description.name, text_in(value, "name"));
  TRY_ASSIGN(description.made_by, text_in(value, "made_by"));
  TRY_ASSIGN(description.parameters, read_file(value, "parameters"));
  if (value.find("elsewhere") != nullptr) {
    TRY_ASSIGN(description.elsewhere, list_in<Site>(value, "elsewhere", read_site));
  }
  TRY_ASSIGN(description.inputs, list_in<Tensor>(value, "inputs", read_tensor));
  TRY_ASSIGN(description.outputs, list_in<Tensor>(value, "outputs", read_tensor));
  TRY_ASSIGN(description.results, list_in<Buffer>(value, "results", read_buffer));
  TRY_ASSIGN(description.kernels, list_in<Kernel>(value, "kernels", read_kernel));
  TRY_ASSIGN(description.steps, list_in<Step>(value, "steps", read_step));
  TRY(check(description));
  return description;
}

}  // namespace

Result<Description> parse_description(std::string_view text) {
  auto parsed = json::parse(text);
  if (!parsed) return bad(parsed.error().message);
  TRY_ASSIGN(Value const* version, member(*parsed, "tilewright_package", Kind::kNumber));
  if (version->number < 1 || version->number > kVersion)
    return bad_input("package_version",
                     "the package is of version " + std::to_string(version->number) +
                         ", but this runtime reads versions up to " + std::to_string(kVersion));
  size_t at = text.rfind(kChecksumKey);
  Value const* stated = parsed->find("checksum_of_the_above");
  if (at == text.npos || stated == nullptr || stated->text != checksum_text(text.substr(0, at)))
    return bad_input("damaged_package",
                     "the checksum of the description is wrong: the file was changed or damaged");
  return read_description(*parsed);
}

void for_each_step(std::vector<Step> const& steps, std::function<void(Step const&)> const& f) {
  for (Step const& step : steps) {
    f(step);
    for (Body const& body : step.bodies) for_each_step(body.steps, f);
  }
}

}  // namespace tw::package
