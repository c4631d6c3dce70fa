// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/fusion/fusion_card.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/paint/controls.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr size_t kMostJoined = 12;
constexpr double kListRow = 22;

QString title_of(session::FusionEdge const& edge) {
  return QStringLiteral("%1: %2 → %3")
      .arg(edge.fused ? "Fused" : "Not fused", QString::fromStdString(edge.from.title),
           QString::fromStdString(edge.to.title));
}

/// The engine's sentence, without what the title says; and how many others it speaks of.
QString words_of(session::FusionEdge const& edge) {
  QString words = QString::fromStdString(edge.reason);
  if (words.startsWith("not fused: ")) words = words.mid(11);
  words += ".";
  if (edge.alike > 0 && !edge.chosen)
    words += QStringLiteral(" The same rule decided %1 other edge%2.")
                 .arg(edge.alike)
                 .arg(edge.alike == 1 ? "" : "s");
  return words;
}

}  // namespace

// ---- what was fused ----------------------------------------------------------------------------

FusedList::FusedList(QWidget* parent) : Canvas(parent) {
  setObjectName("fusedList");
  setAccessibleName("Fused in this model");
  setProperty("tells", true);  // nothing in it can be clicked
}

void FusedList::show_edge(std::shared_ptr<session::FusionEdge const> edge) {
  edge_ = std::move(edge);
  rescale();
  update();
}

void FusedList::rescale() {
  size_t rows = edge_ ? std::min(edge_->joined.size(), kMostJoined) : 0;
  setFixedHeight(pixels(QSizeF(1, kListRow * double(rows))).height());
}

QRectF FusedList::row(size_t index) const {
  return {0, kListRow * double(index), unit_width(), kListRow};
}

void FusedList::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  if (!edge_) return;
  for (size_t i = 0; i < std::min(edge_->joined.size(), kMostJoined); ++i) {
    session::FusionPair const& pair = edge_->joined[i];
    QRectF box = row(i);
    paint::text(painter, QRectF(0, box.top(), 16, kListRow), ui_font(12, 600), theme_.ok, "✓");
    QString times = QStringLiteral("%1 time%2").arg(pair.times).arg(pair.times == 1 ? "" : "s");
    QFont font = ui_font(12, 400);
    double wide = QFontMetricsF(font).horizontalAdvance(times) + 2;
    paint::text(painter, QRectF(box.right() - wide, box.top(), wide, kListRow), font, theme_.text3,
                times);
    QFontMetricsF metrics(font);
    QString words = metrics.elidedText(QString::fromStdString(pair.words), Qt::ElideRight,
                                       std::max(0.0, box.width() - wide - 28));
    paint::text(painter, QRectF(20, box.top(), box.width() - wide - 26, kListRow), font,
                theme_.text1, words);
  }
}

std::vector<Part> FusedList::parts() const {
  std::vector<Part> list;
  if (!edge_) return list;
  for (size_t i = 0; i < std::min(edge_->joined.size(), kMostJoined); ++i)
    list.push_back({row(i), QStringLiteral("%1, %2 times")
                                .arg(QString::fromStdString(edge_->joined[i].words))
                                .arg(edge_->joined[i].times)});
  return list;
}

// ---- the whole ---------------------------------------------------------------------------------

FusionCard::FusionCard(QWidget* parent)
    : QWidget(parent),
      title_(controls::label("fusionTitle", "title", controls::Wrap::kYes)),
      words_(controls::label("fusionWords", "secondary", controls::Wrap::kYes)),
      picture_(new FusionPicture),
      deed_(controls::button("Fuse anyway", "fusionDeed", "")),
      joined_(controls::label("fusionJoined", "section")),
      list_(new FusedList) {
  setObjectName("fusionCard");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 14, 16, 16);
  column->setSpacing(10);
  column->addWidget(title_);
  column->addWidget(words_);
  column->addWidget(picture_);
  auto* line = new QHBoxLayout;
  line->addWidget(deed_);
  line->addStretch(1);
  column->addLayout(line);
  column->addSpacing(8);
  column->addWidget(joined_);
  column->addWidget(list_);
  column->addStretch(1);
  joined_->setText("Fused in this model");
  connect(deed_, &QPushButton::clicked, this, [this] {
    if (edge_ && !edge_->other_way.empty())
      emit other_way_asked(QString::fromStdString(edge_->other_way));
  });
}

void FusionCard::set_theme(Theme const& theme) {
  picture_->set_theme(theme);
  list_->set_theme(theme);
}

QString FusionCard::deed_of(session::FusionEdge const& edge) {
  if (edge.fixed) return {};
  return edge.chosen ? "Restore default fusion" : edge.fused ? "Keep separate" : "Fuse anyway";
}

void FusionCard::show_edge(std::shared_ptr<session::FusionEdge const> edge) {
  edge_ = std::move(edge);
  if (!edge_) return;
  title_->setText(title_of(*edge_));
  words_->setText(words_of(*edge_));
  picture_->show_edge(edge_);
  QString deed = deed_of(*edge_);
  deed_->setVisible(!deed.isEmpty());
  deed_->setText(deed);
  deed_->setToolTip("Replan the model; unchanged kernels keep their schedules");
  joined_->setVisible(!edge_->joined.empty());
  list_->show_edge(edge_);
}

}  // namespace tw
