#include "engine/history/history.h"

#include <fmt/format.h>

#include "engine/schedule/trace.h"

namespace tw {
namespace {

/// Script lines of the trace after its first `from` steps; empty optional when it does not begin
/// like the parent's.
std::optional<std::vector<std::string>> steps_since(Schedule const& parent, Schedule const& child) {
  auto const& before = parent.trace();
  auto const& after = child.trace();
  if (after.size() < before.size()) return std::nullopt;
  for (size_t i = 0; i < before.size(); ++i)
    if (!(before[i].step == after[i].step)) return std::nullopt;
  std::vector<std::string> lines;
  for (size_t i = before.size(); i < after.size(); ++i) lines.push_back(to_text(after[i].step));
  return lines;
}

}  // namespace

Trial const& HistoryNode::on(TriedOn const& where) const {
  static Trial const none;
  auto found = trials.find(where);
  return found == trials.end() ? none : found->second;
}

History::History(Schedule plain) {
  HistoryNode root{.id = 0,
                   .parent = -1,
                   .label = "plain",
                   .steps = {},
                   .schedule = std::move(plain),
                   .refusal = {},
                   .trials = {},
                   .note = {},
                   .name = {}};
  push_back(std::move(root));
}

void History::push_back(HistoryNode node) {
  auto nodes = nodes_ ? std::make_shared<Nodes>(*nodes_) : std::make_shared<Nodes>();
  nodes->push_back(std::make_shared<HistoryNode const>(std::move(node)));
  nodes_ = std::move(nodes);
}

std::vector<int> History::children(int id) const {
  std::vector<int> found;
  for (auto const& node : *nodes_)
    if (node->parent == id) found.push_back(node->id);
  return found;
}

std::string History::script(int id) const {
  HistoryNode const& one = node(id);
  if (one.refusal.empty()) return one.schedule.script();
  std::string text = script(one.parent);
  for (std::string const& line : one.steps) text += line + "\n";
  return text;
}

void History::visit(int id) {
  current_ = id;
  left_ = -1;
  for (int child = id; node(child).parent >= 0; child = node(child).parent) {
    int parent = node(child).parent;
    if (node(parent).redo != child)
      *this = changed(parent, [&](HistoryNode& one) { one.redo = child; });
  }
}

Result<History> History::add(int parent, Schedule schedule, std::string label) const {
  if (!has(parent))
    return bad_input("unknown_node", fmt::format("the history has no entry {}", parent));
  auto steps = steps_since(node(parent).schedule, schedule);
  if (!steps || steps->empty())
    return bad_input("not_a_continuation", "the schedule does not continue the one it is added to");
  History next = *this;
  int id = -1;
  for (int child : children(parent))
    if (node(child).steps == *steps) id = child;
  if (id < 0) {
    id = int(size());
    if (label.empty()) label = schedule.trace().back().step.primitive;
    next.append(parent, std::move(*steps), std::move(label), std::move(schedule), "");
  }
  next.visit(id);
  return next;
}

void History::append(int parent, std::vector<std::string> steps, std::string label,
                     Schedule schedule, std::string refusal) {
  HistoryNode node{.id = int(size()),
                   .parent = parent,
                   .label = std::move(label),
                   .steps = std::move(steps),
                   .schedule = std::move(schedule),
                   .refusal = std::move(refusal),
                   .trials = {},
                   .note = {},
                   .name = {}};
  push_back(std::move(node));
}

History History::undone() const {
  History next = *this;
  if (can_undo()) {
    next.current_ = node(current_).parent;  // redo still leads back
    next.left_ = -1;
  }
  return next;
}

bool History::can_redo() const {
  int redo = node(current_).redo;
  return redo >= 0 && node(redo).refusal.empty();
}

History History::redone() const {
  History next = *this;
  if (can_redo()) {
    next.current_ = node(current_).redo;
    next.left_ = -1;
  }
  return next;
}

History History::with_left(int id) const {
  History next = *this;
  next.left_ = id;
  return next;
}

Result<History> History::jumped(int id) const {
  if (!has(id)) return bad_input("unknown_node", fmt::format("the history has no entry {}", id));
  if (std::string const& why = node(id).refusal; !why.empty())
    return refused("refused_here",
                   fmt::format("entry {} of the history does not apply here: {}", id, why));
  History next = *this;
  next.visit(id);
  return next;
}

History History::with_measured(int id, TriedOn const& where, Measured measured) const {
  return changed(id, [&](HistoryNode& node) {
    node.trials[where].measured = measured;
    node.trials[where].failure.clear();
  });
}

History History::with_correctness(int id, TriedOn const& where, Correctness correctness,
                                  std::string text) const {
  return changed(id, [&](HistoryNode& node) {
    node.trials[where].correctness = correctness;
    node.trials[where].correctness_text = std::move(text);
  });
}

History History::with_failure(int id, TriedOn const& where, std::string failure) const {
  return changed(id, [&](HistoryNode& node) { node.trials[where].failure = std::move(failure); });
}

History History::with_note(int id, std::string note) const {
  return changed(id, [&](HistoryNode& node) { node.note = std::move(note); });
}

History History::with_tag(int id, bool tagged) const {
  return changed(id, [&](HistoryNode& node) { node.tagged = tagged; });
}

History History::with_name(int id, std::string name) const {
  return changed(id, [&](HistoryNode& node) { node.name = std::move(name); });
}

History History::with_baseline(int id) const {
  History next = *this;
  next.baseline_ = id;
  return next;
}

History History::with_label(int id, std::string label) const {
  return changed(id, [&](HistoryNode& node) { node.label = std::move(label); });
}

}  // namespace tw
