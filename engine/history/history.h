/// Everything that was tried on one kernel: a tree of schedules that branches and never forgets.
/// A value: changes give a new history that shares its nodes, so that a copy is cheap.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/schedule/schedule.h"

namespace tw {

struct Measured {
  double min_ms = 0;
  double spread = 0;  ///< (max - min) / min of the kept samples
  double gflops = 0;
  bool disturbed = false;  ///< others used the processors: it may be faster than this
  int samples = 0;         ///< that are kept; 0: not known
  bool operator==(Measured const&) const = default;
};

enum class Correctness : uint8_t { kUnknown, kCorrect, kWrong };

/// Where something was tried: a time is that machine's and nobody else's.
struct TriedOn {
  std::string device;   ///< the name that a person gave it: "local", "board"
  std::string machine;  ///< what stood behind the name then: "EPYC 9354, 2 cores"
  auto operator<=>(TriedOn const&) const = default;
};

/// What one device said about a state.
struct Trial {
  std::optional<Measured> measured;
  Correctness correctness = Correctness::kUnknown;
  std::string correctness_text;
  std::string failure;  ///< why it could not be measured, a sentence
  bool operator==(Trial const&) const = default;
};

struct HistoryNode {
  int id = 0;                      ///< its place in the list of nodes
  int parent = -1;                 ///< -1: the plain program
  std::string label;               ///< "plain", the primitive's name, or what the caller said
  std::vector<std::string> steps;  ///< script lines since the parent
  Schedule schedule;
  /// Why this target refuses the steps, or those before them; `schedule` is then as far as it
  /// applies. Empty: it does not refuse them.
  std::string refusal;
  std::map<TriedOn, Trial> trials;
  std::string note;
  bool tagged = false;  ///< by a person, with a star
  std::string name;     ///< that a person gave it
  int redo = -1;        ///< the child last visited

  /// What is known of it there; an empty trial when it was never tried there.
  Trial const& on(TriedOn const& where) const;
};

/// What becomes of saved entries that the target refuses, which was another one when they were
/// saved.
enum class RefusedEntries : uint8_t { kFail, kStay };

class History {
public:
  explicit History(Schedule plain);

  size_t size() const { return nodes_->size(); }
  HistoryNode const& node(int id) const { return *nodes_->at(size_t(id)); }
  bool has(int id) const { return id >= 0 && size_t(id) < nodes_->size(); }
  int current() const { return current_; }  ///< never one that is refused
  Schedule const& schedule() const { return node(current_).schedule; }
  /// The script of an entry, of a refused one, too.
  std::string script(int id) const;
  std::vector<int> children(int id) const;

  /// A child of `parent` whose trace goes on from the parent's; the child that has the same steps
  /// already is taken instead of a twin. It becomes current. Errors: not_a_continuation.
  Result<History> add(int parent, Schedule schedule, std::string label = "") const;
  Result<History> add(Schedule schedule) const { return add(current_, std::move(schedule)); }

  bool can_undo() const { return node(current_).parent >= 0; }
  bool can_redo() const;
  History undone() const;  ///< itself when there is nothing to undo
  History redone() const;  ///< along the branch last visited
  /// Errors: unknown_node, refused_here. Redo then leads back here from every node on the way from
  /// the root.
  Result<History> jumped(int id) const;

  /// The entry that was current, if this target refuses it, until one moves: -1, or that entry. It
  /// is current again where it applies.
  int left() const { return left_; }
  History with_left(int id) const;

  History with_measured(int id, TriedOn const& where, Measured measured) const;
  History with_correctness(int id, TriedOn const& where, Correctness correctness,
                           std::string text) const;
  History with_failure(int id, TriedOn const& where, std::string failure) const;
  History with_note(int id, std::string note) const;
  History with_tag(int id, bool tagged) const;
  History with_name(int id, std::string name) const;
  /// The entry that the others are compared with; -1: none is.
  int baseline() const { return baseline_; }
  History with_baseline(int id) const;
  History with_label(int id, std::string label) const;

  nlohmann::ordered_json to_json() const;
  /// Rebuilds every schedule by replaying its steps on `plain`. Version 1 did not say where its
  /// times come from: `untold` stands for that. Entries that were refused when they were saved may
  /// be refused again, others as `refused` says. Errors: not_a_history, unknown_version,
  /// other_kernel, step_refused; each one a sentence.
  static Result<History> from_json(nlohmann::ordered_json const& json, Schedule plain,
                                   TriedOn const& untold = {},
                                   RefusedEntries refused = RefusedEntries::kFail);

private:
  using Nodes = std::vector<std::shared_ptr<HistoryNode const>>;
  void push_back(HistoryNode node);
  void visit(int id);
  void append(int parent, std::vector<std::string> steps, std::string label, Schedule schedule,
              std::string refusal);
  Result<History> with_entry(int id, nlohmann::ordered_json const& json,
                             RefusedEntries refused) const;
  Result<History> standing_at(nlohmann::ordered_json const& json) const;
  template <typename Change>
  History changed(int id, Change change) const {
    History next = *this;
    auto changed_node = std::make_shared<HistoryNode>(node(id));
    change(*changed_node);
    auto nodes = std::make_shared<Nodes>(*nodes_);
    (*nodes)[size_t(id)] = std::move(changed_node);
    next.nodes_ = std::move(nodes);
    return next;
  }

  /// Shared by copies of the history, as each node is by those that were changed elsewhere.
  std::shared_ptr<Nodes const> nodes_;
  int current_ = 0;
  int left_ = -1;
  int baseline_ = -1;
};

}  // namespace tw
