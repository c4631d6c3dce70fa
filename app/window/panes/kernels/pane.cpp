// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of the model.
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/window/pane.h"
#include "widgets/kernels/kernel_list.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

class KernelsPane final : public Pane {
public:
  explicit KernelsPane(Workbench& bench)
      : Pane(bench), page_(new QWidget), list_(new KernelList), summary_(new QLabel) {
    auto* scroll = new QScrollArea;
    scroll->setWidget(list_);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);  // what it shows has the focus
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    summary_->setMargin(12);
    summary_->setWordWrap(true);
    summary_->setProperty("role", "secondary");
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(scroll, 1);
    column->addWidget(summary_);
    connect(list_, &KernelList::kernel_chosen, this,
            [this](int row) { bench_.execute(session::SelectKernel{row}); });
    connect(list_, &KernelList::kernel_entered, this, [this] { bench_.focus_home(); });
    connect(list_, &KernelList::menu_asked, this, [this](int, QPoint at) {
      bench_.show_menu(
          {"Loops", "Graph", "Measure again", "Measure the whole model", "Tune the kernel",
           "Replay on another kernel", "Edit this kernel's expression", "Export the model"},
          at);
    });
  }
  QWidget* widget() override { return page_; }
  void set_theme(Theme const& theme) override { list_->set_theme(theme); }
  bool keeps_focus() const override { return list_->hasFocus(); }

  void show(session::Snapshot const& next) override {
    bool open = next.model && !next.model->free_inputs.empty();
    list_->set_empty_words(
        open ? "No kernels yet: some input sizes are unknown. Enter them in the bar above."
             : "No part of this model could be compiled. The bar above lists the reasons.");
    list_->show_kernels(next.kernels, next.kernel);
    if (!next.model) return;
    QString total = next.kernels && next.kernels->total_ms
                        ? "   " + paint::time(*next.kernels->total_ms)
                        : QString();
    summary_->setText(QString::fromStdString(next.model->summary) + total);
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

private:
  QWidget* page_;
  KernelList* list_;
  QLabel* summary_;
};

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
