#include "engine/runtime/package/checksum.h"
#include "engine/runtime/package/description_parts.h"
#include "engine/runtime/package/json.h"

namespace tw::package {

using json::quoted;

std::string text_of(Buffer const& buffer) {
  return "[" + quoted(kRegions[size_t(buffer.region)]) + ", " + std::to_string(buffer.at) + ", " +
         std::to_string(buffer.bytes) + "]";
}

std::string checksum_text(std::string_view text) {
  return hexadecimal(checksum_of({reinterpret_cast<std::byte const*>(text.data()), text.size()}));
}

std::string hexadecimal(uint64_t value) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4)
    text.push_back("0123456789abcdef"[value >> shift & 15]);
  return text;
}

namespace {

/// "[a, b]" of what `one` makes of each item; `between` may hold a line break.
template <typename Items, typename One>
std::string list(Items const& items, std::string_view between, One one) {
  std::string text;
  for (auto const& item : items) text += (text.empty() ? "" : std::string(between)) + one(item);
  return "[" + text + "]";
}

using Members = std::vector<std::pair<char const*, std::string>>;

std::string object(Members const& members) {
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

std::string text_of(Copy const& copy) {
  return "[" + text_of(copy.from) + ", " + text_of(copy.to) + "]";
}

std::string text_of(Row const& row) {
  return object({{"all", text_of(row.all)},
                 {"row", text_of(row.row)},
                 {"outer", number(row.outer)},
                 {"backward", number(row.backward)}});
}

std::string text_of(Step const& step);
std::string text_of(Body const& body);

template <typename Items>
std::string texts_of(Items const& items, std::string_view between = ", ") {
  return list(items, between, [](auto const& item) { return text_of(item); });
}

std::string text_of(Body const& body) {
  return object({{"refuses", quoted(body.refuses)},
                 {"steps", texts_of(body.steps, ",\n    ")},
                 {"copies", texts_of(body.copies)}});
}

std::string text_of(Loop const& loop) {
  return object({{"most", text_of(loop.most)},
                 {"number", text_of(loop.number)},
                 {"next", text_of(loop.next)},
                 {"begin", texts_of(loop.begin)},
                 {"end", texts_of(loop.end)},
                 {"taken", texts_of(loop.taken)},
                 {"given", texts_of(loop.given)}});
}

std::string text_of(Site const& site) {
  return object({{"target", text_of(site.target)},
                 {"library", text_of(site.library)},
                 {"arena_bytes", number(site.arena_bytes)},
                 {"workspace_bytes", number(site.workspace_bytes)}});
}

Members members_of(Step const& step) {
  switch (step.kind) {
    case StepKind::kKernel:
      return {{"kernel", quoted(step.symbol)},
              {"makes", quoted(step.makes)},
              {"buffers", texts_of(step.buffers)}};
    case StepKind::kCopy:
      return {{"copy_from", number(step.from)},
              {"makes", quoted(step.makes)},
              {"buffers", texts_of(step.buffers)}};
    case StepKind::kIf:
      return {{"control", quoted("if")},
              {"makes", quoted(step.makes)},
              {"condition", text_of(step.condition)},
              {"bodies", texts_of(step.bodies, ",\n   ")}};
    case StepKind::kLoop:
      break;
  }
  return {{"control", quoted("loop")},
          {"makes", quoted(step.makes)},
          {"condition", text_of(step.condition)},
          {"loop", text_of(step.loop)},
          {"bodies", texts_of(step.bodies, ",\n   ")}};
}

std::string text_of(Step const& step) {
  Members members = members_of(step);
  if (step.place != 0 || step.kind == StepKind::kCopy)
    members.push_back({"place", number(step.place)});
  return object(members);
}

/// The oldest version that can say it.
int64_t version_of(Description const& d) {
  if (!d.elsewhere.empty()) return 3;
  for (Step const& step : d.steps)
    if (step.kind != StepKind::kKernel) return 2;
  return 1;
}

}  // namespace

std::string to_text(Description const& d) {
  auto one = [](auto const& item) { return text_of(item); };
  std::string text = "{\n";
  auto add = [&](char const* name, std::string const& value) {
    text += quoted(name) + ": " + value + ",\n";
  };
  add("tilewright_package", number(version_of(d)));
  add("name", quoted(d.name));
  add("made_by", quoted(d.made_by));
  add("target", text_of(d.target));
  add("library", text_of(d.library));
  add("parameters", text_of(d.parameters));
  add("arena_bytes", number(d.arena_bytes));
  add("workspace_bytes", number(d.workspace_bytes));
  if (!d.elsewhere.empty()) add("elsewhere", list(d.elsewhere, ",\n  ", one));
  add("inputs", list(d.inputs, ",\n  ", one));
  add("outputs", list(d.outputs, ",\n  ", one));
  add("results", list(d.results, ", ", one));
  add("kernels", list(d.kernels, ",\n  ", one));
  add("steps", list(d.steps, ",\n  ", one));
  return text + std::string(kChecksumKey) + " " + quoted(checksum_text(text)) + "\n}\n";
}

}  // namespace tw::package
