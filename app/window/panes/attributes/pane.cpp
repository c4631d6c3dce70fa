// SPDX-License-Identifier: GPL-3.0-or-later
// What one operator, kernel or tensor is: attributes, tensors, values, cost, compute.
#include <QApplication>
#include <algorithm>
#include <set>

#include "app/window/pane.h"
#include "app/window/panes/attributes/journal.h"
#include "engine/session/inspector.h"
#include "widgets/inspector/inspector_panel.h"

namespace tw {
namespace {

using session::Inspected;
using session::InspectedKind;

constexpr char kInspect[] = "Inspect";

class AttributesPane final : public Pane {
public:
  explicit AttributesPane(Workbench& bench) : Pane(bench), panel_(new InspectorPanel) {
    InspectorSheet& sheet = panel_->sheet();
    connect(&sheet, &InspectorSheet::came_into_sight, this, [this] { look(); });
    connect(&sheet, &InspectorSheet::inspect_asked, this, [this](Inspected const& what) {
      bench_.ask(journal::Inspect{what.name, std::string(word_of(what.kind))});
    });
    connect(&sheet, &InspectorSheet::back_asked, this, [this] {
      if (!before_.empty()) bench_.ask(journal::InspectBefore{});
    });
    connect(&sheet, &InspectorSheet::menu_asked, this, [this](QPoint at) { show_menu(at); });
    connect(panel_, &InspectorPanel::copy_asked, this,
            [this](QString const& text) { bench_.copy(text); });
    bench.on<journal::Inspect>([this](auto const& action) -> Status {
      TRY(inspect({*session::inspected_kind(action.kind), action.name}));
      return action.behind ? Status() : come_to_front();
    });
    bench.on<journal::InspectBefore>([this](auto const&) { return inspect_before(); });
    connect(&bench.selection(), &Selection::asked_changed, this, [this] { take_asked(); });
    bench.add_command({.section = "Views",
                       .name = kInspect,
                       .keys = "Ctrl+Shift+A",
                       .run =
                           [this] {
                             bench_.ask(journal::ShowView{"attributes"});
                             panel_->sheet().setFocus();
                           },
                       .possible = [this] { return now().model != nullptr; },
                       .also = "attributes weights histogram tensor operator"});
    bench.add_command({.section = "Views",
                       .name = "Back in Attributes",
                       .run = [this] { bench_.ask(journal::InspectBefore{}); },
                       .possible = [this] { return !before_.empty(); }});
    bench.add_copy("Views", "Copy the inspected expression", [this] { return panel_->compute(); });
  }
  QWidget* widget() override { return panel_; }
  QWidget* focus_target() override { return &panel_->sheet(); }
  bool keeps_focus() const override { return panel_->isAncestorOf(QApplication::focusWidget()); }
  bool busy() const override { return waits_; }
  void set_theme(Theme const& theme) override { panel_->set_theme(theme); }
  void show(session::Snapshot const& next) override;
  std::optional<session::FactValue> fact(std::string const& name) const override;
  std::vector<PaletteEntry> palette_entries() override;
  std::vector<Key> keys() const override {
    QString const section = "Attributes";
    return {{section, "Up, Down", "Select a link"},
            {section, "Enter", "Inspect it"},
            {section, "Backspace", "Back"},
            {section, "Left, Right", "Go from bar to bar of a histogram"}};
  }

private:
  Status inspect(Inspected const& what);
  Status inspect_before();
  void take_asked();
  Status come_to_front() {
    TRY(bench_.show_view("attributes"));
    return look(), Status();
  }
  void look();
  void take(Inspected const& what);
  void show_menu(QPoint at);
  std::string name_of_kernel(int row) const {
    bool known = now().kernels && row >= 0 && row < int(now().kernels->rows.size());
    return known ? now().kernels->rows[size_t(row)].name : std::string();
  }

  InspectorPanel* panel_;
  Inspected what_;                 ///< without a name: nothing
  std::vector<Inspected> before_;  ///< the last one last
  std::shared_ptr<session::ModelView const> model_;
  int kernel_ = -1;
  bool waits_ = false;
};

/// Another kernel that is chosen anywhere is looked at, unless what is looked at is part of it.
void AttributesPane::show(session::Snapshot const& next) {
  if (next.model != model_) {
    model_ = next.model;
    auto gone = [this](Inspected const& what) { return !session::can_inspect(live(), what); };
    std::erase_if(before_, gone);
    if (gone(what_)) what_ = {};
  }
  std::string name = name_of_kernel(next.kernel);
  if (next.kernel != kernel_ || what_.name.empty()) {
    auto const& view = panel_->sheet().shown().view;
    bool part = view && view->of == what_ && view->kernel == next.kernel && next.kernel >= 0;
    if (!name.empty() && !part) take({InspectedKind::kKernel, name});
  }
  kernel_ = next.kernel;
  look();
}

void AttributesPane::take(Inspected const& what) {
  if (what == what_) return;
  if (!what_.name.empty()) before_.push_back(what_);
  if (before_.size() > 100) before_.erase(before_.begin());
  what_ = what;
  panel_->to_top();
}

Status AttributesPane::inspect(Inspected const& what) {
  TRY(session::can_inspect(live(), what));
  take(what);
  look();
  return {};
}

/// The operator that was clicked in the graph is looked at here, too; *Why* stays in front.
void AttributesPane::take_asked() {
  Selection::Asked asked = bench_.selection().asked();
  if (asked.node < 0 || asked.to >= 0 || !now().graph) return;
  for (session::GraphNodeView const& node : now().graph->nodes)
    if (node.id == asked.node) (void)inspect({InspectedKind::kOperator, node.name});
}

Status AttributesPane::inspect_before() {
  if (before_.empty()) return bad_input("nothing_before", "nothing was inspected before");
  Inspected last = before_.back();
  before_.pop_back();
  TRY(session::can_inspect(live(), last));
  what_ = last;
  panel_->to_top();
  return come_to_front();
}

/// Nobody looks for what nobody sees.
void AttributesPane::look() {
  waits_ = false;
  if (!panel_->isVisible()) return;
  if (!now().model || what_.name.empty())
    return panel_->set_empty_words("Select an operator, kernel or tensor.");
  SheetValues values{session::inspect(live(), what_), now().kernels, nullptr};
  if (values.view && !values.view->values_of.empty())
    values.statistics = session::value_statistics(live(), values.view->values_of);
  waits_ = !values.view || (!values.view->values_of.empty() && !values.statistics);
  panel_->show_values(std::move(values));
}

void AttributesPane::show_menu(QPoint at) {
  auto const& view = panel_->sheet().shown().view;
  std::vector<Workbench::MenuEntry> here;
  std::string kernel = view ? name_of_kernel(view->kernel) : "";
  if (!kernel.empty() && view->kernel != now().kernel)
    here.push_back({"Choose the kernel " + QString::fromStdString(kernel), true,
                    [this, row = view->kernel] { bench_.execute(session::SelectKernel{row}); }});
  bench_.show_menu({"Back in Attributes", "Copy the inspected expression"}, at, here);
}

std::optional<session::FactValue> AttributesPane::fact(std::string const& name) const {
  if (!name.starts_with("inspected")) return {};
  auto const& shown = panel_->sheet().shown();
  bool there = shown.view && !what_.name.empty() && shown.view->of == what_;
  if (name == "inspected") return what_.name.empty() ? "none" : what_.name;
  if (name == "inspected.kind")
    return what_.name.empty() ? std::string("none") : std::string(word_of(what_.kind));
  static session::InspectorView const nothing;  // nobody sees it, or it is not there yet
  session::InspectorView const& view = there ? *shown.view : nothing;
  session::InspectedCost cost = view.cost.value_or(session::InspectedCost());
  auto const* values = there ? shown.statistics.get() : nullptr;
  std::string kernel = name_of_kernel(view.kernel);
  if (name == "inspected.what") return view.what.empty() ? "none" : view.what;
  if (name == "inspected.kernel") return kernel.empty() ? "none" : kernel;
  if (name == "inspected.attributes") return double(view.attributes.size());
  if (name == "inspected.inputs") return double(view.inputs.size());
  if (name == "inspected.weights")
    return double(std::ranges::count(view.inputs, true, &session::InspectedTensor::weight));
  if (name == "inspected.operations") return double(cost.operations);
  if (name == "inspected.bytes") return double(cost.read + cost.written);
  if (name == "inspected.values") return double(values ? values->count : 0);
  if (name == "inspected.zeros") return double(values ? values->zeros : 0);
  if (name == "inspected.bins") return double(values ? values->bins.size() : 0);
  if (name == "inspected.compute") return view.compute.empty() ? "none" : view.compute;
  return {};
}

/// Every operator by its name, after fusion and as imported, where the names differ.
std::vector<PaletteEntry> AttributesPane::palette_entries() {
  std::vector<PaletteEntry> entries;
  if (!now().graph) return entries;
  std::set<std::string> seen;
  auto add = [&](std::vector<session::GraphNodeView> const& nodes, char const* kind) {
    for (session::GraphNodeView const& node : nodes)
      if (!node.name.empty() && seen.insert(node.name).second)
        entries.push_back({"Inspect " + QString::fromStdString(node.name),
                           {},
                           QString::fromStdString(node.op + " " + node.detail).trimmed(),
                           [this, name = node.name, kind] {
                             bench_.ask(journal::Inspect{name, kind});
                           },
                           true});
  };
  add(now().graph->nodes, "operator");
  add(now().graph->nodes_before, "imported");
  return entries;
}

}  // namespace

PaneRow const& pane_attributes() {
  static PaneRow const row{.name = "attributes",
                           .title = "Attributes",
                           .place = PanePlace::kLeft,
                           .order = 22,
                           .make = &make_pane<AttributesPane>};
  return row;
}

}  // namespace tw
