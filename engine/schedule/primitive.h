/// A schedule primitive: one file of `primitives/` defines one. From what it declares here come the
/// script line, its parser, the JSON, the replay, the help page and the window's dialog.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/arith/proof_budget.h"
#include "engine/ir/program.h"
#include "engine/schedule/refusal.h"
#include "engine/target/target.h"

namespace tw {

using ArgumentValue = std::variant<int64_t, std::string>;

/// The numbers of a list, "0,0,1"; empty optional: it is none.
std::optional<std::vector<int64_t>> numbers_of(std::string_view list);

/// One line of a script: `o.0, o.1 = split(conv2d.o, factor=16)`.
struct Step {
  std::string primitive;
  std::vector<std::string> targets;  ///< loops and blocks, as the script names them
  std::map<std::string, ArgumentValue> arguments;
  std::vector<std::string> gives;  ///< names for the loops that it makes; may be empty
  bool operator==(Step const&) const = default;
};

struct Parameter {
  std::string name;
  std::string doc;
  int64_t low = 1;
  int64_t high = 1;
  std::optional<int64_t> preset;  ///< empty: must be given, unless `optional`
  bool optional = false;
  std::vector<std::string> choices;  ///< not empty: a word out of these instead of a number
  bool word = false;                 ///< any word instead of a number: a tensor, a layout
  bool scope = false;                ///< one of the target's memories instead of a number
  bool axis = false;                 ///< one of its axes of blocks and threads
  bool intrinsic = false;            ///< one of its instructions
  bool annotation = false;           ///< one of its words for loops or blocks
  bool open_size = false;            ///< a word: one of the program's sizes that are open
  bool list = false;                 ///< numbers with commas between them, as a word: "0,0,1"
  /// Iterations of this one of the step's targets are what it counts.
  std::optional<size_t> counts = {};
  std::string former = {};  ///< the name that older scripts have for it
};

/// The words that a parameter may be on a target; empty: it is no such choice.
std::vector<std::string> choices_of(Parameter const& parameter, Target const& target);

/// Where the loops of an older program are in the newer one: not listed = unchanged, an empty list
/// = gone.
using CursorMap = std::map<ir::LoopId, std::vector<ir::LoopId>>;

/// What a check or a rewrite works on: the program, for which target it is, and the loops and
/// blocks that the step names.
struct StepRequest {
  ir::Program const& program;
  Target const& target;
  std::vector<ir::LoopSite> loops;
  Step const& step;
  std::vector<ir::BlockSite> blocks = {};
  ProofBudget budget = ProofBudget::kWork;

  int64_t number(std::string const& name) const {
    return std::get<int64_t>(step.arguments.at(name));
  }
  std::string const& word(std::string const& name) const {
    return std::get<std::string>(step.arguments.at(name));
  }
  /// Of a parameter that is a list; a single number may stand alone.
  std::vector<int64_t> numbers(std::string const& name) const {
    ArgumentValue const& value = step.arguments.at(name);
    if (auto const* one = std::get_if<int64_t>(&value)) return {*one};
    return numbers_of(std::get<std::string>(value)).value_or(std::vector<int64_t>());
  }
  bool has(std::string const& name) const { return step.arguments.contains(name); }
};

struct Applied {
  ir::Program program;
  CursorMap cursors;
  std::vector<ir::LoopId> made;  ///< in the order of `Step::gives`
};

/// Why a step is legal, in a few words: the name of the predicate, or "no conflicting pair".
struct Proof {
  std::string by;
  /// It covers the order in which elements are used that are written again and again, too.
  bool orders_turns = false;
};

/// kEither: a block where one has the name, else a loop.
enum class TargetKind : uint8_t { kLoop, kBlock, kEither };

/// How a step is taken where extents are sizes that are still open.
struct OpenSizes {
  Applied (*apply)(StepRequest const&) = nullptr;  ///< null: it needs numbers
  /// Of a step that opens one: the same step where that has this value.
  Step (*with_value)(Step const& step, int64_t value) = nullptr;
  /// And its value that is shown.
  int64_t (*shown)(Step const& step) = nullptr;
};

struct Primitive {
  std::string name;
  std::string key;    ///< keyboard key in the window
  std::string title;  ///< "Split a loop"
  std::string doc;
  std::string rewrite;                            ///< before --> after
  std::string refused = "cannot take this step";  ///< of what it is applied to, in a title
  std::optional<ir::LoopKind> marks = {};         ///< the kind that its loop gets
  bool at_hand = false;                           ///< used often: it stands beside the loops
  int targets = 1;                                ///< number of loops; -1: two or more
  int gives = 0;                                  ///< how many loops it makes
  std::vector<Parameter> parameters;
  std::expected<Proof, Refusal> (*check)(StepRequest const&) = nullptr;
  Applied (*apply)(StepRequest const&) = nullptr;  ///< only after `check` agreed
  /// What each target is; empty: they are all loops.
  std::vector<TargetKind> kinds = {};
  /// Of one with blocks among its targets: it leaves calls as they are, and takes them for what
  /// they read and write. Others are refused where a program has calls.
  bool beside_calls = false;
  /// What the blocks below its loop compute matters, which a call does not say: its check is asked
  /// about a program with calls as it is, too, and not only with the calls written out.
  bool looks_into_blocks = false;
  /// Empty: what it makes with each value is made one program.
  std::optional<OpenSizes> open_sizes = {};
  /// Codes with which its own check may answer (resources/errors says what they mean), sorted;
  /// `engine/schedule/refusal_codes.h` has those of any step.
  std::vector<std::string> refuses = {};
};

/// Whether the target has what the primitive's parameters ask for: no loop is bound where there are
/// no blocks and threads.
bool is_for(Primitive const& primitive, Target const& target);

/// Written by CMake from the files in `primitives/`.
std::span<Primitive const* const> primitive_table();
Primitive const* find_primitive(std::string_view name);

}  // namespace tw
