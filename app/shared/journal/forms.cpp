#include "app/shared/journal/forms.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::journal {
namespace {

// ---- fields: how one member of an action is written ----------------------------------------

template <typename T>
struct Word {
  std::string T::*member;
  std::string name;
  std::vector<std::string> choices = {};  ///< empty: any word
  std::string text(T const& a) const { return " " + word_text(a.*member); }
  Status parse(T& a, Reader& reader) const {
    size_t begin = reader.position();
    TRY_ASSIGN(a.*member, reader.word(name));
    if (choices.empty() || std::find(choices.begin(), choices.end(), a.*member) != choices.end())
      return {};
    return reader.wrong(
        fmt::format("{} is {}, not '{}'", name, fmt::join(choices, " or "), a.*member), begin);
  }
};
template <typename T>
struct Optional {  ///< a word that may be missing at the end
  std::string T::*member;
  std::string name;
  std::string text(T const& a) const {
    return (a.*member).empty() ? "" : " " + word_text(a.*member);
  }
  Status parse(T& a, Reader& reader) const {
    if (reader.at_end()) return {};
    TRY_ASSIGN(a.*member, reader.word(name));
    return {};
  }
};
template <typename T>
struct Rest {
  std::string T::*member;
  std::string name;
  std::string text(T const& a) const { return " " + rest_text(a.*member); }
  Status parse(T& a, Reader& reader) const {
    TRY_ASSIGN(a.*member, reader.rest(name));
    return {};
  }
};
template <typename T>
struct OptionalRest {
  std::string T::*member;
  std::string name;
  std::string text(T const& a) const {
    return (a.*member).empty() ? "" : " " + rest_text(a.*member);
  }
  Status parse(T& a, Reader& reader) const {
    if (reader.at_end()) return {};
    TRY_ASSIGN(a.*member, reader.rest(name));
    return {};
  }
};
template <typename T, typename N>
struct Number {
  N T::*member;
  std::string name;
  std::string text(T const& a) const { return fmt::format(" {}", a.*member); }
  Status parse(T& a, Reader& reader) const {
    if constexpr (std::is_same_v<N, int>) {
      TRY_ASSIGN(a.*member, reader.integer(name));
    } else {
      TRY_ASSIGN(a.*member, reader.number(name));
    }
    return {};
  }
};
template <typename T>
struct Flag {
  bool T::*member;
  std::string name;
  std::string text(T const& a) const { return a.*member ? " " + name : ""; }
  Status parse(T& a, Reader& reader) const {
    a.*member = reader.take(name);
    return {};
  }
};
/// A value behind its name; not written where it is empty or 0.
template <typename T, typename V>
struct Named {
  V T::*member;
  std::string name;
  std::string text(T const& a) const {
    if (a.*member == V()) return "";
    if constexpr (std::is_same_v<V, double>)
      return " " + name + " " + number_text(a.*member);
    else
      return " " + name + " " + word_text(a.*member);
  }
  Status parse(T& a, Reader& reader) const {
    if (!reader.take(name)) return {};
    if constexpr (std::is_same_v<V, double>) {
      TRY_ASSIGN(a.*member, reader.number("what follows " + name));
    } else {
      TRY_ASSIGN(a.*member, reader.word("what follows " + name));
    }
    return {};
  }
};
template <typename T>
Word(std::string T::*, char const*) -> Word<T>;
template <typename T, typename N>
Number(N T::*, char const*) -> Number<T, N>;

template <typename T, typename... Ts>
constexpr bool is_one_of(std::variant<Ts...> const*) {
  return (std::is_same_v<T, Ts> || ...);
}
template <typename T>
constexpr bool kOfSession = is_one_of<T>(static_cast<session::Command const*>(nullptr));

template <typename T>
T const* as(Action const& action) {
  if constexpr (kOfSession<T>) {
    auto const* command = std::get_if<session::Command>(&action);
    return command ? std::get_if<T>(command) : nullptr;
  } else {
    return std::get_if<T>(&action);
  }
}
template <typename T>
Action wrapped(T action) {
  if constexpr (kOfSession<T>)
    return session::Command(std::move(action));
  else
    return action;
}

/// One row: the words that begin the line, what it does, and the members that follow.
template <typename T, typename... Fields>
Form row(std::string words, std::string doc, Fields... fields) {
  Form form;
  std::string names;
  ((names += (names.empty() ? "" : " ") + fields.name), ...);
  form.info = {words, names, std::move(doc)};
  form.print = [words, fields...](Action const& action) -> std::optional<std::string> {
    T const* known = as<T>(action);
    if (!known) return {};
    std::string line = words;
    ((line += fields.text(*known)), ...);
    return line;
  };
  form.parse = [fields...](Reader& reader) -> Result<Action> {
    [[maybe_unused]] T action;
    Status status;
    ((status = status ? fields.parse(action, reader) : status), ...);
    TRY(status);
    TRY(reader.end());
    return wrapped(std::move(action));
  };
  return form;
}

std::vector<Form> session_forms() {
  using namespace session;
  return {
      row<OpenModel>("open", "opens a model or a tensor expression",
                     Rest<OpenModel>{&OpenModel::path, "FILE"}),
      row<OpenSample>("sample", "opens a built-in model", Word(&OpenSample::name, "NAME")),
      row<FixShapes>("shapes", "opens the model again with these shapes of its inputs",
                     Rest<FixShapes>{&FixShapes::shapes, "NAME=SHAPE"}),
      row<CloseModel>("close", "closes the model"),
      row<ApplyStep>("step", "takes a step of a schedule, or several with ; between them",
                     Rest<ApplyStep>{&ApplyStep::line, "LINE"}),
      row<ApplyScript>("script", "takes the steps of a script",
                       Rest<ApplyScript>{&ApplyScript::text, "TEXT"}),
      row<Undo>("undo", "goes one step back"),
      row<Redo>("redo", "goes one step forward again"),
      row<JumpTo>("jump", "goes to any step of the history", Number(&JumpTo::history_node, "STEP")),
      row<SetNote>("note", "writes a note on a step", Number(&SetNote::history_node, "STEP"),
                   Rest<SetNote>{&SetNote::note, "TEXT"}),
      row<DismissRefusal>("dismiss", "closes the card of a refused step"),
      row<MeasureAgain>("measure", "measures the current step again"),
      row<MeasureModel>("measure model", "measures every kernel inside the network"),
      row<MeasureRoofs>("measure roofs", "measures what this machine can do",
                        Flag<MeasureRoofs>{&MeasureRoofs::again, "again"}),
      row<UseDevice>("device", "runs kernels on another device", Word(&UseDevice::name, "NAME")),
      row<Export>("export", "writes the model as a folder that runs alone",
                  Word(&Export::target, "TARGET"), Rest<Export>{&Export::folder, "FOLDER"}),
      row<ExportKernel>("export kernel", "writes one kernel alone",
                        Word(&ExportKernel::kernel, "NAME"), Word(&ExportKernel::target, "TARGET"),
                        Rest<ExportKernel>{&ExportKernel::folder, "FOLDER"}),
      row<CancelJob>("cancel", "stops what is being done"),
      row<ReplayOn>("replay on", "replays the schedule on another kernel",
                    Word(&ReplayOn::kernel, "NAME")),
      row<AddKernel>("add kernel", "adds a kernel from its tensor expression",
                     Rest<AddKernel>{&AddKernel::text, "TEXT"}),
      row<RewriteKernel>("rewrite kernel", "gives one of the user's own kernels another text",
                         Word(&RewriteKernel::kernel, "NAME"),
                         Rest<RewriteKernel>{&RewriteKernel::text, "TEXT"}),
  };
}

std::vector<Form> window_forms() {
  return {
      row<ChooseKernel>("kernel", "chooses a kernel by name or row",
                        Word(&ChooseKernel::kernel, "NAME")),
      row<ShowView>("show", "shows a tab by its words", Word(&ShowView::view, "VIEW")),
      row<ShowPass>("pass", "shows the program after a pass", Word(&ShowPass::pass, "NAME")),
      row<MarkChanges>("changes", "marks what the last step changed",
                       Word<MarkChanges>{&MarkChanges::state, "STATE", {"on", "off"}}),
      row<ChooseGraph>("graph", "shows the graph before or after fusion",
                       Word<ChooseGraph>{&ChooseGraph::form, "FORM", {"before", "after"}}),
      row<LookAtGraph>("look at graph", "scale, and where its corner stands",
                       Number(&LookAtGraph::scale, "SCALE"), Number(&LookAtGraph::x, "X"),
                       Number(&LookAtGraph::y, "Y")),
      row<FitGraph>("fit graph", "shows the whole width of the graph"),
      row<ExplainFusion>("why", "why two nodes were not fused, or why one joined",
                         Word(&ExplainFusion::from, "NODE"),
                         Optional<ExplainFusion>{&ExplainFusion::to, "NODE"}),
      row<SelectLoop>("select", "selects a loop", Word(&SelectLoop::loop, "LOOP")),
      row<HoverLoop>("hover", "lights up a loop, or none", Word(&HoverLoop::loop, "LOOP")),
      row<SetTheme>("theme", "dark, light or high-contrast", Word(&SetTheme::theme, "NAME")),
      row<ScaleText>("scale text", "in percent", Number(&ScaleText::percent, "PERCENT")),
      row<ResizeWindow>("size", "of the window, in logical pixels",
                        Number(&ResizeWindow::width, "WIDTH"),
                        Number(&ResizeWindow::height, "HEIGHT")),
      row<ArrangePanes>("panes", "moves the borders between panes",
                        Word(&ArrangePanes::panes, "NAME"),
                        Rest<ArrangePanes>{&ArrangePanes::sizes, "SIZES"}),
      row<ScrollView>("scroll", "scrolls a view", Word(&ScrollView::view, "VIEW"),
                      Number(&ScrollView::x, "X"), Number(&ScrollView::y, "Y")),
      row<FindInGraph>("find", "marks the nodes that contain these words, or none",
                       OptionalRest<FindInGraph>{&FindInGraph::text, "TEXT"}),
      row<StepMatch>("match", "goes to the next node that was found, or to the one before",
                     Word<StepMatch>{&StepMatch::direction, "DIRECTION", {"next", "previous"}}),
      row<OpenProject>(
          "project open", "opens a project, with another model where its own is missing",
          Word(&OpenProject::project, "FILE"), Optional<OpenProject>{&OpenProject::model, "MODEL"}),
      row<SaveProject>("project save", "saves the project, under a name or where it is",
                       Optional<SaveProject>{&SaveProject::project, "FILE"}),
      row<SaveProjectWithModel>(
          "project save with model", "saves the project with a copy of its model",
          Optional<SaveProjectWithModel>{&SaveProjectWithModel::project, "FILE"}),
      row<RecoverWork>("recover", "takes up the work of a window that ended without closing"),
      row<DiscardRecovery>("discard recovery", "forgets that work"),
      row<ShowDialog>("dialog", "shows a dialog", Word(&ShowDialog::dialog, "NAME"),
                      Optional<ShowDialog>{&ShowDialog::argument, "ARGUMENT"}),
      row<CompareStates>("compare", "compares two steps of the history",
                         Number(&CompareStates::before, "STEP"),
                         Number(&CompareStates::after, "STEP")),
      row<CompareDevices>("compare on devices", "compares one step of the history on two devices",
                          Number(&CompareDevices::state, "STEP"),
                          Word(&CompareDevices::before, "DEVICE"),
                          Word(&CompareDevices::after, "DEVICE")),
      row<StopComparing>("stop comparing", "closes the comparison"),
      row<ShowComparison>("comparison", "what the comparison shows",
                          Word<ShowComparison>{&ShowComparison::what, "WHAT", {"stage", "form"}},
                          Word(&ShowComparison::value, "VALUE")),
      row<FindStep>("find step", "finds steps and notes of the history",
                    Rest<FindStep>{&FindStep::words, "WORDS"}),
      row<FoldHistory>("fold history", "draws long runs of steps as one",
                       Word<FoldHistory>{&FoldHistory::state, "STATE", {"on", "off"}}),
      row<MarkStep>("ring", "moves the ring of the history to a step",
                    Number(&MarkStep::step, "STEP")),
      row<UnfoldSteps>("unfold", "draws the steps of a fold one by one",
                       Number(&UnfoldSteps::first, "STEP")),
      row<PickStep>("pick", "picks a step for a comparison, or unpicks it",
                    Number(&PickStep::step, "STEP")),
      row<SelectDevice>("devices select", "selects a device in its view",
                        Word(&SelectDevice::device, "NAME")),
      row<AddDevice>("devices add", "adds a machine that runs tw device serve",
                     Word(&AddDevice::device, "NAME"), Word(&AddDevice::address, "ADDRESS"),
                     Named<AddDevice, double>{&AddDevice::timeout_seconds, "timeout"},
                     Named<AddDevice, std::string>{&AddDevice::certificate, "ca"},
                     Named<AddDevice, std::string>{&AddDevice::token_file, "token-file"}),
      row<RemoveDevice>("devices remove", "forgets a device", Word(&RemoveDevice::device, "NAME")),
      row<CheckDevices>("devices check", "asks every device what it is"),
      row<CloseDialog>("close dialog", "closes the dialog without taking what it says"),
  };
}

}  // namespace

std::vector<Form> const& forms() {
  static std::vector<Form> const all = [] {
    std::vector<Form> list = session_forms();
    for (Form& form : window_forms()) list.push_back(std::move(form));
    return list;
  }();
  return all;
}

}  // namespace tw::journal
