/// A journal: what was done in a window, a line for each action, and what was expected to be seen.
/// It is written while somebody works, read by people, and replayed as a test.
///
///     tilewright journal 1
///     # A comment is a line of its own.
///     sample resnet18
///     kernel conv2d_64x56x56_3x3
///     step o.0, o.1 = split(conv2d.o, factor=8)
///     expect state correct
///     expect kernel.time < 200 ms
///
/// Everything that is printed parses back to the same values.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/session/session.h"
#include "engine/support/base/error.h"

namespace tw::journal {

// ---- what a window does beside the session's commands ------------------------------------

struct ChooseKernel {
  std::string kernel;  ///< its name, or its row in the table
};
/// A tab of any of the window's panes, by its words: "loops", "graph", "assembly".
struct ShowView {
  std::string view;
};
/// A stage of lowering in the code panel.
struct ShowPass {
  std::string pass;
};
struct MarkChanges {
  std::string state;  ///< "on" or "off"
};
struct ChooseGraph {
  std::string form;  ///< "before" or "after" fusion
};
/// Scale, and where the graph's corner stands in the view, in logical pixels.
struct LookAtGraph {
  double scale = 1, x = 0, y = 0;
};
struct FitGraph {};
/// Why two nodes were not fused, or (`to` empty) why one joined; nodes by name, or "#3" by number.
struct ExplainFusion {
  std::string from, to;
};
struct SelectLoop {
  std::string loop;  ///< "conv2d.o.0"
};
struct HoverLoop {
  std::string loop;  ///< "none": the pointer has left
};
struct SetTheme {
  std::string theme;
};
struct ScaleText {
  int percent = 100;  ///< of everything that is drawn
};
struct ResizeWindow {
  int width = 0, height = 0;  ///< logical pixels
};
/// Where the borders between panes stand: "upper", "lower" or "whole", and sizes in logical pixels.
struct ArrangePanes {
  std::string panes;
  std::string sizes;  ///< "272 640 520"
};
struct ScrollView {
  std::string view;  ///< "ladder", "code", "history", "kernels"
  int x = 0, y = 0;
};
struct FindInGraph {
  std::string text;  ///< words that a node's name, operator and detail contain; empty: ends it
};
struct StepMatch {
  std::string direction;  ///< "next" or "previous"
};
/// `model` stands for the project's own where that is missing; empty: it is looked for.
struct OpenProject {
  std::string project;
  std::string model;
};
struct SaveProject {
  std::string project;  ///< empty: the file that it has
};
/// The same with a copy of the model in it, for another machine or another year.
struct SaveProjectWithModel {
  std::string project;
};
/// Takes up the work of a window that ended without closing.
struct RecoverWork {};
struct DiscardRecovery {};
/// Two states of the current kernel, by their numbers in its history.
struct CompareStates {
  int before = 0, after = 0;
};
struct StopComparing {};
struct ShowComparison {
  std::string what;   ///< "stage" or "form"
  std::string value;  ///< a stage of lowering; "pair" or "marks"
};
/// The same words again: the next step that has them.
struct FindStep {
  std::string words;
};
struct FoldHistory {
  std::string state;  ///< "on" or "off"
};
/// One state of the current kernel on two devices, by the names that its history has for them.
struct CompareDevices {
  int state = 0;
  std::string before, after;
};
/// The ring of the history's map.
struct MarkStep {
  int step = 0;
};
/// The steps of a fold one by one; the fold by its first step.
struct UnfoldSteps {
  int first = 0;
};
/// The step that is remembered for a comparison, or forgotten again.
struct PickStep {
  int step = 0;
};
struct SelectDevice {
  std::string device;
};
struct AddDevice {
  std::string device, address;
  double timeout_seconds = 0;           ///< that a call may take at least; 0: as everywhere
  std::string certificate, token_file;  ///< may be empty
};
struct RemoveDevice {
  std::string device;
};
/// Asks every device what it is.
struct CheckDevices {};
/// "open", "palette", "keys", "step split", "note 3", "kernel", "kernel NAME", "replay".
struct ShowDialog {
  std::string dialog;
  std::string argument;
};
struct CloseDialog {};

using Action =
    std::variant<session::Command, ChooseKernel, ShowView, ShowPass, MarkChanges, ChooseGraph,
                 LookAtGraph, FitGraph, ExplainFusion, SelectLoop, HoverLoop, SetTheme, ScaleText,
                 ResizeWindow, ArrangePanes, ScrollView, FindInGraph, StepMatch, OpenProject,
                 SaveProject, RecoverWork, DiscardRecovery, ShowDialog, CloseDialog, CompareStates,
                 StopComparing, ShowComparison, FindStep, FoldHistory, CompareDevices, MarkStep,
                 UnfoldSteps, PickStep, SelectDevice, AddDevice, RemoveDevice, CheckDevices,
                 SaveProjectWithModel>;

// ---- what a journal expects ----------------------------------------------------------------

enum class Compare : uint8_t { kIs, kIsNot, kLess, kAtMost, kMore, kAtLeast, kContains };

/// A fact of the window has a value: `expect kernel.time < 5 ms`, `expect refusal none`.
struct Expect {
  std::string fact;
  Compare compare = Compare::kIs;
  double number = 0;  ///< of a fact that is one, in the fact's unit
  std::string text;   ///< of a fact in words
  bool operator==(Expect const&) const = default;
};

/// What can be expected. Milliseconds are a fact's unit of time, and lines may say us, ms or s.
struct FactInfo {
  std::string name;
  std::string unit;  ///< "words", "ms", "GFLOP/s", or empty: a number
  std::string doc;
  bool in_words() const { return unit == "words"; }
};
std::vector<FactInfo> const& facts();

// ---- text ----------------------------------------------------------------------------------

struct Line {
  int number = 0;  ///< 1-based, in its file
  std::variant<Action, Expect> what;
};
struct Journal {
  std::string file;
  std::vector<Line> lines;
};

constexpr char kHeader[] = "tilewright journal 1";

/// Errors: not_a_journal, unknown_version, unknown_action, unusable_argument, unknown_fact; with
/// file, line and column.
Result<Journal> parse(std::string_view text, std::string const& file = "");
/// One line without its end. An action that has no form yet is a comment that says so.
std::string to_text(Action const& action);
std::string to_text(Expect const& expect);
std::string to_text(Journal const& journal);
bool has_form(Action const& action);

/// The words of a form, its fields, and what it does: for a help page.
struct FormInfo {
  std::string words, fields, doc;
};
std::vector<FormInfo> form_list();
/// One action of every kind that exists, with default fields: a test goes through them.
std::vector<Action> one_of_each();

/// The action replaces the one before it when that is of the same kind: a pointer that moves, a
/// window that grows.
bool replaces(Action const& next, Action const& before);

}  // namespace tw::journal
