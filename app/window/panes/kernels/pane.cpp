// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of the model.
#include <QSettings>
#include <algorithm>

#include "app/window/pane.h"
#include "app/window/panes/kernels/journal.h"
#include "engine/session/bookmarks.h"
#include "widgets/kernels/kernel_panel.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

using session::KernelKey;
using session::KernelOrder;

char const* const kColumns = "kernels/columns";
char const* const kSorted = "kernels/sorted";
char const* const kBackground = "background";

Result<std::vector<KernelKey>> columns_of(QString const& names) {
  std::vector<KernelKey> columns;
  for (QString const& name : names.simplified().split(' ', Qt::SkipEmptyParts)) {
    TRY_ASSIGN(KernelKey key, session::kernel_key(name.toStdString()));
    if (key == KernelKey::kModel || key == KernelKey::kName)
      return bad_input("unknown_column", "the name is always shown and is not a column");
    if (std::ranges::count(columns, key) == 0) columns.push_back(key);
  }
  return columns;
}

std::string names_of(std::vector<KernelKey> const& columns) {
  std::string names;
  for (KernelKey key : columns) names += (names.empty() ? "" : " ") + session::info_of(key).name;
  return names;
}

/// What a run of the model takes: measured, or the kernels' modelled times in sum.
QString total_words(session::Snapshot const& now) {
  if (!now.kernels) return {};
  if (now.kernels->total_ms) return "   " + paint::time(*now.kernels->total_ms);
  auto modelled = session::modelled_ms(*now.kernels);
  return modelled ? QStringLiteral("   ○ ") + paint::time(*modelled) : QString();
}

class KernelsPane final : public Pane {
public:
  explicit KernelsPane(Workbench& bench)
      : Pane(bench), panel_(new KernelPanel), list_(&panel_->list()) {
    perform_actions();
    watch();
    add_commands();
    take_settings();
  }
  QWidget* widget() override { return panel_; }
  void set_theme(Theme const& theme) override { panel_->set_theme(theme); }
  bool keeps_focus() const override { return list_->hasFocus(); }
  QString find_command() const override { return "Filter the kernels"; }

  bool hears_hidden() const override { return false; }
  void show(session::Snapshot const& next) override {
    bool open = next.model && !next.model->free_inputs.empty();
    list_->set_empty_words(
        open ? "No kernels yet: some input sizes are unknown. Enter them in the bar above."
             : "No part of this model could be compiled. The bar above lists the reasons.");
    list_->show_kernels(next.kernels, next.kernel);
    list_->show_baselines(live().marks()->kernels);
    if (!next.model) return;
    panel_->show_summary(QString::fromStdString(next.model->summary) + total_words(next));
  }

  std::vector<PaletteEntry> palette_entries() override {
    std::vector<PaletteEntry> entries;
    for (size_t i = 0; now().kernels && i < now().kernels->rows.size(); ++i) {
      session::KernelRow const& row = now().kernels->rows[i];
      entries.push_back({"Kernel " + QString::fromStdString(row.name),
                         {},
                         QString::fromStdString(row.operators),
                         [this, i] { bench_.execute(session::SelectKernel{int(i)}); },
                         true});
    }
    return entries;
  }
  std::vector<Key> keys() const override {
    return {{"Anywhere", "Enter in Kernels", "Go to the loops of the kernel"}};
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    auto const& shown = list_->shown();
    if (name == "kernels.shown") return double(shown.size());
    if (name == "kernels.first")
      return shown.empty() ? "none" : now().kernels->rows[size_t(shown.front())].name;
    if (name == "kernels.sorted") return session::info_of(list_->order().key).name;
    if (name == "kernels.columns")
      return list_->columns().empty() ? "none" : names_of(list_->columns());
    return {};
  }

private:
  void perform_actions();
  void watch();
  void add_commands();
  void take_settings();
  void sort(KernelOrder order) {
    bench_.ask(journal::SortKernels{session::info_of(order.key).name, order.reversed});
  }
  void keep(char const* key, QString const& value) {
    QSettings(bench_.settings_file(), QSettings::IniFormat).setValue(key, value);
  }
  void switch_background();

  KernelPanel* panel_;
  KernelList* list_;
};

void KernelsPane::perform_actions() {
  bench_.on<journal::SortKernels>([this](auto const& action) -> Status {
    TRY_ASSIGN(KernelKey key, session::kernel_key(action.by));
    list_->sort_by({key, action.reversed});
    keep(kSorted, QString::fromStdString(action.by) + (action.reversed ? " reversed" : ""));
    return {};
  });
  bench_.on<journal::FilterKernels>([this](auto const& action) {
    return panel_->filter(QString::fromStdString(action.words)), Status();
  });
  bench_.on<journal::KernelColumns>([this](auto const& action) -> Status {
    TRY_ASSIGN(std::vector<KernelKey> columns, columns_of(QString::fromStdString(action.names)));
    list_->set_columns(columns);
    keep(kColumns, QString::fromStdString(names_of(list_->columns())));
    return {};
  });
}

void KernelsPane::watch() {
  connect(list_, &KernelList::kernel_chosen, this,
          [this](int row) { bench_.execute(session::SelectKernel{row}); });
  connect(list_, &KernelList::kernel_entered, this, [this] { bench_.focus_home(); });
  connect(list_, &KernelList::sort_asked, this, [this](KernelOrder order) { sort(order); });
  connect(panel_, &KernelPanel::filter_asked, this, [this](QString const& words) {
    bench_.ask(journal::FilterKernels{words.simplified().toStdString()});
  });
  connect(panel_, &KernelPanel::columns_asked, this, [this](std::vector<KernelKey> const& columns) {
    bench_.ask(journal::KernelColumns{names_of(columns)});
  });
  connect(list_, &KernelList::menu_asked, this, [this](int, QPoint at) {
    bench_.show_menu(
        {"Loops", "Graph", "Inspect", "Measure again", "Measure the whole model",
         "Measure kernels in the background", "Tune the kernel", "Replay on another kernel",
         "Edit this kernel's expression", "Export the model", "Choose the columns of Kernels"},
        at);
  });
}

void KernelsPane::add_commands() {
  QString const section = "Views";
  auto possible = [this] { return now().kernels != nullptr; };
  bench_.add_command({.section = section,
                      .name = "Filter the kernels",
                      .keys = "Ctrl+Alt+F",
                      .run =
                          [this] {
                            bench_.ask(journal::ShowView{"kernels"});
                            panel_->focus_filter();
                          },
                      .possible = possible});
  bench_.add_command({.section = section,
                      .name = "Sort the kernels by the next column",
                      .keys = "Ctrl+Alt+S",
                      .run =
                          [this] {
                            auto keys = session::kernel_keys();
                            sort({KernelKey((size_t(list_->order().key) + 1) % keys.size())});
                          },
                      .possible = possible});
  for (session::KernelKeyInfo const& one : session::kernel_keys())
    bench_.add_command({.section = section,
                        .name = one.key == KernelKey::kModel
                                    ? QString("Sort the kernels in the model's order")
                                    : "Sort the kernels by " + QString::fromStdString(one.name),
                        .run = [this, key = one.key] { sort({key}); },
                        .possible = possible});
  bench_.add_command({.section = section,
                      .name = "Choose the columns of Kernels",
                      .run =
                          [this] {
                            bench_.ask(journal::ShowView{"kernels"});
                            panel_->show_columns();
                          },
                      .possible = possible});
  bench_.add_command({.section = "Measuring and devices",
                      .name = "Measure kernels in the background",
                      .run = [this] { switch_background(); }});
}

/// On, unless it was switched off; the program begins it (main.cpp).
void KernelsPane::switch_background() {
  bool on = !live().measures_in_background();
  bench_.execute(session::MeasureInBackground{.off = !on});
  keep(kBackground, on ? "on" : "off");
}

/// What an older or a newer version wrote is left out.
void KernelsPane::take_settings() {
  QSettings settings(bench_.settings_file(), QSettings::IniFormat);
  QStringList sorted = settings.value(kSorted).toString().split(' ');
  if (auto key = session::kernel_key(sorted[0].toStdString()))
    list_->sort_by({*key, sorted.contains("reversed")});
  if (!settings.contains(kColumns)) return;
  if (auto columns = columns_of(settings.value(kColumns).toString())) list_->set_columns(*columns);
}

}  // namespace

PaneRow const& pane_kernels() {
  static PaneRow const row{.name = "kernels",
                           .title = "Kernels",
                           .place = PanePlace::kLeft,
                           .order = 10,
                           .make = &make_pane<KernelsPane>};
  return row;
}

}  // namespace tw
