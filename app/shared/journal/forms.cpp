#include "app/shared/journal/form_rows.h"
#include "app/shared/journal/move.h"
#include "app/shared/journal/picture.h"
#include "app/shared/journal/present.h"
#include "app/shared/journal/resume.h"
#include "app/shared/journal/save_report.h"

namespace tw::journal {
namespace {

std::vector<Form> session_forms() {
  using namespace session;
  return {
      row<OpenModel>("open", "opens a model or a tensor expression",
                     Rest<OpenModel>{&OpenModel::path, "FILE"}),
      row<OpenSample>("sample", "opens a built-in model", Word(&OpenSample::name, "NAME")),
      row<FixShapes>("shapes", "opens the model again with these input shapes",
                     Rest<FixShapes>{&FixShapes::shapes, "NAME=SHAPE"}),
      row<Arrange>("graph option", "opens the model again with another layout or algorithm",
                   Rest<Arrange>{&Arrange::choice, "KNOB=VALUE"})
          .formerly("arrange"),
      row<CloseModel>("close", "closes the model"),
      row<ApplyStep>("step", "applies a schedule step, or several with ; between them",
                     Rest<ApplyStep>{&ApplyStep::line, "LINE"}),
      row<ApplyScript>("script", "applies the steps of a script",
                       Rest<ApplyScript>{&ApplyScript::text, "TEXT"}),
      row<Undo>("undo", "undoes the last step"),
      row<Redo>("redo", "redoes the step undone last"),
      row<JumpTo>("jump", "goes to any step of the history", Number(&JumpTo::history_node, "STEP")),
      row<SetNote>("note", "writes a note on a step", Number(&SetNote::history_node, "STEP"),
                   Rest<SetNote>{&SetNote::note, "TEXT"}),
      row<TagState>("star", "stars a step, or removes the star",
                    Number(&TagState::history_node, "STEP"), Flag<TagState>{&TagState::off, "off"})
          .formerly("tag"),
      row<NameState>("name", "names a step; without a name, removes its name",
                     Number(&NameState::history_node, "STEP"),
                     OptionalRest<NameState>{&NameState::name, "NAME"}),
      row<SetBaseline>("baseline", "makes a step the baseline of every view",
                       Number(&SetBaseline::history_node, "STEP")),
      row<ClearBaseline>("clear baseline", "clears the baseline"),
      row<DismissRefusal>("dismiss", "closes the card of a refused step"),
      row<MeasureAgain>("measure", "measures the current step again"),
      row<MeasureModel>("measure model", "measures every kernel inside the network"),
      row<MeasureInBackground>(
          "background", "measures other kernels with their default schedules when idle, or stops",
          Flag<MeasureInBackground>{&MeasureInBackground::off, "off"}),
      row<MeasureRoofs>("measure roofs", "measures this machine's roofs",
                        Flag<MeasureRoofs>{&MeasureRoofs::again, "again"}),
      row<UseDevice>("device", "runs kernels on another device", Word(&UseDevice::name, "NAME")),
      row<CutAt>("partition", "runs the model on another device from a node or kernel on",
                 Word(&CutAt::node, "NODE"), Word(&CutAt::device, "DEVICE"))
          .formerly("cut"),
      row<MoveCut>("move partition", "moves the start of a partition to another node",
                   Word(&MoveCut::from, "NODE"), Word(&MoveCut::to, "NODE"))
          .formerly("move cut"),
      row<RemoveCut>("remove partition", "runs the whole model on the device in use")
          .formerly("uncut"),
      row<OffloadTo>("offload", "offloads the supported kernels to an accelerator",
                     Word(&OffloadTo::device, "DEVICE")),
      row<Quantize>("quantize", "quantizes the open model to int8, and opens the result",
                    Flag<Quantize>{&Quantize::dense, "dense"},
                    Flag<Quantize>{&Quantize::first, "first"},
                    Flag<Quantize>{&Quantize::depthwise, "depthwise"},
                    Flag<Quantize>{&Quantize::unsigned_data, "unsigned"},
                    Flag<Quantize>{&Quantize::one_weight_step, "one-weight-step"},
                    Named<Quantize, std::string>{&Quantize::data, "data"},
                    Rest<Quantize>{&Quantize::file, "FILE"}),
      row<Export>("export", "exports the model as a stand-alone folder",
                  Word(&Export::target, "TARGET"), Rest<Export>{&Export::folder, "FOLDER"}),
      row<ExportKernel>("export kernel", "exports a single kernel",
                        Word(&ExportKernel::kernel, "NAME"), Word(&ExportKernel::target, "TARGET"),
                        Rest<ExportKernel>{&ExportKernel::folder, "FOLDER"}),
      row<CancelJob>("cancel", "cancels what is running"),
      row<ReplayOn>("replay on", "replays the schedule on another kernel",
                    Word(&ReplayOn::kernel, "NAME")),
      row<AddKernel>("add kernel", "adds a kernel from its tensor expression",
                     Rest<AddKernel>{&AddKernel::text, "TEXT"}),
      row<RewriteKernel>("rewrite kernel", "replaces the text of one of the user's own kernels",
                         Word(&RewriteKernel::kernel, "NAME"),
                         Rest<RewriteKernel>{&RewriteKernel::text, "TEXT"}),
      row<Tune>(
          "tune", "searches for a faster schedule of the kernel",
          Named<Tune, int>{&Tune::trials, "trials"}, Named<Tune, double>{&Tune::seconds, "seconds"},
          Named<Tune, std::string>{&Tune::search, "search"}, Named<Tune, int>{&Tune::seed, "seed"},
          Named<Tune, int>{&Tune::from, "from"}, Named<Tune, std::string>{&Tune::keep, "keep"},
          Named<Tune, std::string>{&Tune::on, "on"}),
      row<TuneModel>("tune model", "searches for faster schedules of all kernels of the model",
                     Named<TuneModel, int>{&TuneModel::trials, "trials"},
                     Named<TuneModel, double>{&TuneModel::seconds, "seconds"},
                     Named<TuneModel, std::string>{&TuneModel::search, "search"},
                     Named<TuneModel, int>{&TuneModel::seed, "seed"},
                     Named<TuneModel, std::string>{&TuneModel::on, "on"},
                     Named<TuneModel, int>{&TuneModel::arranges, "arranges"}),
      row<AblateStep>("ablate step", "times this state with each of its steps left out",
                      Number(&AblateStep::history_node, "STEP")),
      row<AblateTrial>("ablate trial", "times a trial with each of its knobs reset",
                       Number(&AblateTrial::trial, "TRIAL"),
                       Named<AblateTrial, int>{&AblateTrial::run, "of"}),
      row<PauseTuning>("pause tuning", "pauses the tuning after its current trial"),
      row<ResumeTuning>("resume tuning", "resumes the paused tuning"),
      row<StopTuning>("stop tuning", "stops the tuning; its trials are kept"),
      row<OpenTrial>("open trial", "opens a trial of the tuning as steps",
                     Number(&OpenTrial::trial, "TRIAL"),
                     Named<OpenTrial, int>{&OpenTrial::run, "of"}),
      row<OpenStored>("open stored trial", "opens a trial of the store as steps",
                      Number(&OpenStored::trial, "TRIAL")),
      row<ClearTuning>("clear tuning", "removes tunings that have ended"),
  };
}

std::vector<Form> window_forms() {
  return {
      row<ChooseKernel>("kernel", "selects a kernel by name or row",
                        Word(&ChooseKernel::kernel, "NAME"))
          .of(Who::kSession),
      row<ShowView>("show", "shows the tab of this name", Word(&ShowView::view, "VIEW")),
      row<SelectLoop>("select", "selects a loop", Word(&SelectLoop::loop, "LOOP"))
          .of(Who::kSession),
      row<HoverLoop>("hover", "highlights a loop, or none", Word(&HoverLoop::loop, "LOOP"))
          .of(Who::kSession)
          .replacing(),
      row<SetTheme>("theme", "dark, light or high-contrast", Word(&SetTheme::theme, "NAME")),
      row<ScaleText>("scale text", "in percent", Number(&ScaleText::percent, "PERCENT")),
      row<Present>("presenter", "sets the text to 150 percent, or back to what it was",
                   Word<Present>{&Present::state, "STATE", {"on", "off"}}),
      row<MoveView>("move view",
                    "moves a view to another place of the window, to a window of its own, or back",
                    Word(&MoveView::view, "VIEW"),
                    Word<MoveView>{&MoveView::place,
                                   "PLACE",
                                   {"left", "centre", "below", "below-right", "window", "home"}}),
      row<ResetLayout>("reset layout", "restores the default layout"),
      row<ResizeWindow>("size", "sets the size of the window, in logical pixels",
                        Number(&ResizeWindow::width, "WIDTH"),
                        Number(&ResizeWindow::height, "HEIGHT"))
          .replacing(),
      row<ArrangePanes>("panes", "moves the borders between panes",
                        Word(&ArrangePanes::panes, "NAME"),
                        Rest<ArrangePanes>{&ArrangePanes::sizes, "SIZES"})
          .replacing(&same<&ArrangePanes::panes>),
      row<ScrollView>("scroll", "scrolls a view", Word(&ScrollView::view, "VIEW"),
                      Number(&ScrollView::x, "X"), Number(&ScrollView::y, "Y"))
          .replacing(&same<&ScrollView::view>),
      row<OpenProject>(
          "project open", "opens a project, with another model where its own is missing",
          Word(&OpenProject::project, "FILE"), Optional<OpenProject>{&OpenProject::model, "MODEL"})
          .of(Who::kBoth),
      row<SaveProject>("project save", "saves the project, under a name or in its file",
                       Optional<SaveProject>{&SaveProject::project, "FILE"}),
      row<SaveProjectWithModel>(
          "project save with model", "saves the project with a copy of its model",
          Optional<SaveProjectWithModel>{&SaveProjectWithModel::project, "FILE"}),
      row<ResumeWork>("resume", "opens the autosaved project of a model",
                      Word(&ResumeWork::source, "FILE"))
          .of(Who::kBoth),
      row<RecoverWork>("recover", "recovers the work of a window that was not closed")
          .of(Who::kBoth),
      row<DiscardRecovery>("discard recovery", "discards that work"),
      row<ShowDialog>("dialog", "shows a dialog", Word(&ShowDialog::dialog, "NAME"),
                      Optional<ShowDialog>{&ShowDialog::argument, "ARGUMENT"}),
      row<CloseDialog>("close dialog", "closes the dialog and discards its entries"),
      row<SavePicture>("picture", "saves a view as SVG, PNG or PDF, in a theme or as it is",
                       Word(&SavePicture::view, "VIEW"), Word(&SavePicture::file, "FILE"),
                       Optional<SavePicture>{&SavePicture::theme, "THEME"}),
      row<SaveReport>("report", "saves a page about the kernel or the model",
                      Word<SaveReport>{&SaveReport::what, "WHAT", {"kernel", "model"}},
                      Rest<SaveReport>{&SaveReport::file, "FILE"}),
  };
}

}  // namespace

std::vector<Form> const& forms() {
  static std::vector<Form> const all = [] {
    std::vector<Form> list = session_forms();
    for (Form& form : list) form.info.who = Who::kSession;
    std::ranges::move(window_forms(), std::back_inserter(list));
    for (Vocabulary const* words : vocabulary_table())
      std::ranges::copy(words->forms, std::back_inserter(list));
    return list;
  }();
  return all;
}

std::string view_called(std::string const& name) {
  for (Vocabulary const* words : vocabulary_table())
    for (auto const& [former, now] : words->former_views)
      if (former == name) return now;
  return name;
}

Form const* form_of(Action const& action) {
  for (Form const& form : forms())
    if (form.print(action)) return &form;
  return nullptr;
}

}  // namespace tw::journal
