// SPDX-License-Identifier: GPL-3.0-or-later
// Words about what was clicked elsewhere.
#include <QLabel>

#include "app/window/pane.h"

namespace tw {
namespace {

class WhyPane final : public Pane {
public:
  explicit WhyPane(Workbench& bench) : Pane(bench), words_(new QLabel) {
    words_->setObjectName("why");
    words_->setWordWrap(true);
    words_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    words_->setMargin(16);
    words_->setTextFormat(Qt::PlainText);
    words_->setText(
        "Click a border between two kernels in Graph: why they were not fused. Click an operator: "
        "why it joined.");
  }
  QWidget* widget() override { return words_; }
  bool explain(QString const& words) override { return words_->setText(words), true; }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name == "view.why") return words_->text().toStdString();
    return {};
  }

private:
  QLabel* words_;
};

}  // namespace

PaneRow const& pane_why() {
  static PaneRow const row{.name = "why",
                           .title = "Why",
                           .place = PanePlace::kLeft,
                           .order = 20,
                           .make = &make_pane<WhyPane>};
  return row;
}

}  // namespace tw
