#include "engine/session/facts/followed_loop.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace tw::session {
namespace {

int loop_called(NestView const& nest, std::string_view reference) {
  for (LoopBar const& bar : nest.bars)
    if (bar.reference == reference) return bar.id;
  return -1;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t comma = std::min(text.find(','), text.size());
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == text.size()) return parts;
    text.remove_prefix(comma + 1);
  }
}

/// "o.0, o.1 = split(conv2d.o, factor=8)": what it gives, and the loops that it names.
struct StepWords {
  std::vector<std::string_view> gives, targets;
};

StepWords words_of(std::string_view line) {
  StepWords words;
  size_t open = line.find('('), equal = line.find(" = ");
  if (equal != line.npos && open != line.npos && equal < open) {
    words.gives = parts_of(line.substr(0, equal));
    line.remove_prefix(equal + 3);
    open = line.find('(');
  }
  if (open == line.npos) return words;
  std::string_view inside = line.substr(open + 1);
  inside = inside.substr(0, inside.find(')'));
  for (std::string_view part : parts_of(inside))
    if (part.find('=') == part.npos) words.targets.push_back(part);
  return words;
}

/// In the block of the loop that the step named, else in any.
int given_loop(NestView const& nest, std::string_view name, std::string_view target) {
  std::string block(target.substr(0, target.find('.')));
  int found = loop_called(nest, block + "." + std::string(name));
  for (LoopBar const& bar : nest.bars)
    if (found < 0 && bar.name == name) found = bar.id;
  return found;
}

int product_of(NestView const& nest, std::string_view line) {
  StepWords words = words_of(line);
  std::string_view target = words.targets.empty() ? std::string_view() : words.targets.front();
  if (!words.gives.empty()) return given_loop(nest, words.gives.back(), target);
  return words.targets.size() == 1 ? loop_called(nest, target) : -1;
}

/// The loop of this name; what it was split from; the innermost that it was split into.
int relative_of(NestView const& nest, std::string_view reference) {
  std::string_view name = reference;
  while (name.find('.') != name.npos) {
    if (int found = loop_called(nest, name); found >= 0) return found;
    name = name.substr(0, name.rfind('.'));
  }
  int inner = -1;
  for (LoopBar const& bar : nest.bars)
    if (bar.reference.starts_with(std::string(reference) + ".")) inner = bar.id;
  return inner;
}

/// The step from one state to the next was taken, not jumped over.
bool is_step(HistoryView const& before, HistoryView const& after) {
  return after.current != before.current &&
         after.nodes[size_t(after.current)].parent == before.current;
}

}  // namespace

int followed_loop(Snapshot const& before, Snapshot const& after, int selected) {
  bool same = before.model && before.model == after.model && before.kernel == after.kernel &&
              before.nest && after.nest && before.history && after.history;
  if (!same) return -1;
  if (is_step(*before.history, *after.history)) {
    std::string_view lines = after.history->nodes[size_t(after.history->current)].step;
    std::string_view last = lines.substr(lines.rfind('\n') + 1);
    if (int product = product_of(*after.nest, last); product >= 0) return product;
  }
  for (LoopBar const& bar : before.nest->bars)
    if (bar.id == selected) return relative_of(*after.nest, bar.reference);
  return -1;
}

}  // namespace tw::session
