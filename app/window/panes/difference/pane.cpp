// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of the model beside that of another one, or beside itself after its passes.
#include <QFileDialog>

#include "app/window/pane.h"
#include "app/window/panes/difference/journal.h"
#include "app/window/top_bar.h"
#include "widgets/difference/difference_view.h"

namespace tw {
namespace {

constexpr char kOther[] = "Compare the graph with another model...",
               kPasses[] = "Compare the graph before and after its passes",
               kClose[] = "Close the difference of graphs";

class DifferencePane final : public Pane {
public:
  explicit DifferencePane(Workbench& bench) : Pane(bench), view_(new DifferenceView) {
    perform_actions();
    watch();
    add_commands();
  }
  QWidget* widget() override { return view_; }
  QWidget* focus_target() override { return view_->focus_target(); }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  bool busy() const override { return view_->busy() || (active_ && !found_); }
  void show(session::Snapshot const& next) override {
    if (!active_) return;
    // Another model is another question.
    if (!next.model || next.model->path != of_.path || next.model->name != of_.name) return stop();
    find();
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name == "difference.nodes") return double(view_->rows());
    if (name == "difference.node") return view_->chosen().toStdString();
    if (name != "difference") return {};
    if (!found_) return std::string();
    return found_->failure.empty() ? found_->summary : found_->failure;
  }

private:
  void perform_actions();
  void watch();
  void add_commands();
  Status begin(std::string const& other);
  Status show_dialog();
  void find() {
    found_ = session::graph_difference(live(), other_);
    if (found_) return view_->show_difference(found_, now().graph, now().kernels);
    view_->show_waiting(other_.empty() ? "The graphs are being compared."
                                       : "Reading " + QString::fromStdString(other_));
  }
  void stop() {
    active_ = false;
    found_ = nullptr;
    view_->show_waiting({});
    bench_.hide_tab(*this);
  }

  DifferenceView* view_;
  bool active_ = false;
  std::string other_;  ///< empty: its own passes
  struct {
    std::string name, path;
  } of_;
  std::shared_ptr<session::GraphDifference const> found_;
};

void DifferencePane::perform_actions() {
  bench_.on<journal::DifferenceTo>([this](auto const& action) { return begin(action.model); });
  bench_.on<journal::DifferenceOfPasses>([this](auto const&) { return begin({}); });
  bench_.on<journal::CloseDifference>([this](auto const&) { return stop(), Status(); });
  bench_.on<journal::ChooseDifference>([this](auto const& action) -> Status {
    if (view_->choose(QString::fromStdString(action.node))) return {};
    return bad_input("unknown_node", "no node '" + action.node + "' is among those that differ");
  });
  bench_.add_dialog("difference", [this](QString const&) { return show_dialog(); });
}

void DifferencePane::watch() {
  connect(view_, &DifferenceView::other_asked, this, [this] {
    bench_.ask(journal::ShowDialog{"difference", ""});
  });
  connect(view_, &DifferenceView::passes_asked, this,
          [this] { bench_.ask(journal::DifferenceOfPasses{}); });
  connect(view_, &DifferenceView::close_asked, this,
          [this] { bench_.ask(journal::CloseDifference{}); });
  connect(view_, &DifferenceView::chosen_changed, this, [this](QString const& name) {
    bench_.user_did(journal::ChooseDifference{name.toStdString()});
  });
}

void DifferencePane::add_commands() {
  auto has_graph = [this] { return now().graph && !now().graph->nodes.empty(); };
  bench_.add_command({.section = "Graph",
                      .name = kOther,
                      .run =
                          [this] {
                            bench_.ask(journal::ShowDialog{"difference", ""});
                          },
                      .possible = has_graph,
                      .also = "diff difference"});
  bench_.add_command({.section = "Graph",
                      .name = kPasses,
                      .run = [this] { bench_.ask(journal::DifferenceOfPasses{}); },
                      .possible = has_graph,
                      .also = "diff difference"});
  bench_.add_command({.section = "Graph",
                      .name = kClose,
                      .run = [this] { bench_.ask(journal::CloseDifference{}); },
                      .possible = [this] { return active_; }});
  bench_.add_menu(view_, {kOther, kPasses, kClose});
}

Status DifferencePane::begin(std::string const& other) {
  if (!now().graph || now().graph->nodes.empty())
    return bad_input("no_graph", "no model with a graph is open");
  active_ = true;
  other_ = other;
  of_ = {now().model->name, now().model->path};
  bench_.show_tab(*this);
  return find(), Status();
}

Status DifferencePane::show_dialog() {
  if (!now().graph) return bad_input("no_graph", "no model with a graph is open");
  auto* dialog = new QFileDialog(bench_.top_bar().window(), "Compare with another model", {},
                                 "Models (*.onnx);;All files (*)");
  dialog->setObjectName("differenceDialog");
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](QString const& path) { bench_.ask(journal::DifferenceTo{path.toStdString()}); });
  bench_.open(dialog);
  return {};
}

}  // namespace

PaneRow const& pane_difference() {
  static PaneRow const row{.name = "difference",
                           .title = "Difference",
                           .place = PanePlace::kCentre,
                           .order = 45,
                           .when_asked = true,
                           .needs = PaneNeeds::kWidth,  // two graphs side by side
                           .make = &make_pane<DifferencePane>};
  return row;
}

}  // namespace tw
