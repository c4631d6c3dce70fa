// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/roofline_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "widgets/paint/paint.h"
#include "widgets/roofline/roofline_paint.h"

namespace tw {

RooflineView::RooflineView(QWidget* parent) : Canvas(parent) {
  setObjectName("roofline");
  setAccessibleName("Roofline");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void RooflineView::show_roofline(std::shared_ptr<session::RooflineView const> view) {
  scene_.layers.reset();
  take(std::move(view));
}

void RooflineView::take(std::shared_ptr<session::RooflineView const> view) {
  scene_.roofline = std::move(view);
  waiting_.clear();
  scene_.fit_axes();
  QString words =
      scene_.roofline ? QString::fromStdString(scene_.roofline->explanation) : QString();
  if (scene_.roofline && scene_.roofline->doubtful)
    words +=
        "\n"
        "▲ The roofs were measured while other programs used the processor; they are measured "
        "again when the machine is idle";
  setToolTip(paint::wrapped(words.trimmed()));
  update();
}

void RooflineView::show_waiting(QString const& words) {
  show_roofline(nullptr);
  waiting_ = words;
}

void RooflineView::show_levels_of_all(bool all) {
  scene_.all_levels = all;
  update();
}

void RooflineView::show_layers(std::shared_ptr<session::ModelRoofline const> layers) {
  scene_.layers = std::move(layers);
  // It lives as long as the layers that it is a part of.
  take({scene_.layers, scene_.layers ? &scene_.layers->below : nullptr});
}

void RooflineView::mark_layer(int kernel) {
  scene_.marked = kernel;
  update();
}

void RooflineView::show_times(std::shared_ptr<session::KernelTable const> table) {
  if (table == scene_.table) return;
  scene_.table = std::move(table);
  if (scene_.layers) scene_.fit_axes();
  update();
}

void RooflineView::show_baselines(std::vector<session::KernelDifference> kernels) {
  scene_.baselines = std::move(kernels);
  if (scene_.layers) scene_.fit_axes();
  update();
}

void RooflineView::show_baseline(std::optional<session::RooflinePoint> point) {
  scene_.baseline = std::move(point);
  update();
}

void RooflineView::show_moves(std::shared_ptr<session::MovesView const> moves) {
  scene_.moves = std::move(moves);
  update();
}

void RooflineView::show_outlook(std::shared_ptr<session::Outlook const> outlook) {
  scene_.outlook = std::move(outlook);
  update();
}

void RooflineView::show_hypothetical(std::shared_ptr<session::HypotheticalView const> view,
                                     QString const& changes) {
  if (scene_.hypothetical == view && scene_.changes == changes) return;
  scene_.hypothetical = std::move(view);
  scene_.changes = changes;
  scene_.fit_axes();
  update();
}

void RooflineView::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  painter.fillRect(scene_.plot(), theme_.inset);
  paint_axes(painter, scene_);
  if (!scene_.roofline)
    return paint::text(painter,
                       QRectF(scene_.plot().left(), 6, unit_width() - scene_.plot().left() - 8, 18),
                       ui_font(11), theme_.text2,
                       waiting_.isEmpty() ? "Shows how close each step of a kernel comes to what "
                                            "the machine can do."
                                          : waiting_);
  paint_roofline(painter, scene_);
  QString words = QString::fromStdString(scene_.roofline->explanation);
  if (words.isEmpty() && scene_.roofline->roofs.empty())
    words = "The machine's roofs are being measured.";
  QRectF line(scene_.plot().left(), 6, unit_width() - scene_.plot().left() - 8, 18);
  // The tool tip has all of it.
  words = QFontMetricsF(ui_font(11)).elidedText(words, Qt::ElideRight, line.width() - 2);
  paint::text(painter, line, ui_font(11), theme_.text2, words);
}

void RooflineView::mousePressEvent(QMouseEvent* event) {
  if (session::LayerPoint const* layer = scene_.layer_at(event->position()))
    return emit layer_chosen(layer->kernel);
  if (QString line = scene_.move_at(event->position()); !line.isEmpty())
    return emit move_chosen(line);
  for (size_t i = 0; scene_.roofline && i < scene_.roofline->trail.size(); ++i) {
    QPointF at = scene_.place(scene_.roofline->trail[i]);
    if ((at - event->position()).manhattanLength() < 14)
      return emit point_chosen(scene_.roofline->trail[i].history_node);
  }
}

/// Left and right walk along the trail, or over the kernels of the model.
void RooflineView::keyPressEvent(QKeyEvent* event) {
  if (scene_.layers) {
    if (!step_layers(event->key())) QWidget::keyPressEvent(event);
    return;
  }
  int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
  if (step == 0 || !scene_.roofline) return QWidget::keyPressEvent(event);
  for (size_t i = 0; i < scene_.roofline->trail.size(); ++i) {
    size_t next = i + size_t(std::ptrdiff_t(step));
    if (scene_.roofline->trail[i].current && next < scene_.roofline->trail.size())
      return emit point_chosen(scene_.roofline->trail[next].history_node);
  }
}

void RooflineView::mouseMoveEvent(QMouseEvent* event) {
  QString line = scene_.move_at(event->position());
  setCursor(line.isEmpty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
  emit move_pointed(line);
  if (!scene_.layers) return;
  session::LayerPoint const* layer = scene_.layer_at(event->position());
  if (layer) setCursor(Qt::PointingHandCursor);
  int before = std::exchange(scene_.pointed, layer ? layer->kernel : -1);
  if (before != scene_.pointed) update();
}

void RooflineView::leaveEvent(QEvent*) {
  if (std::exchange(scene_.pointed, -1) >= 0) update();
  emit move_pointed({});
}

/// Arrows go from point to point, Return opens the kernel.
bool RooflineView::step_layers(int key) {
  std::vector<session::LayerPoint const*> placed = scene_.placed_layers();
  if (placed.empty()) return false;
  auto on = std::ranges::find(placed, scene_.pointed >= 0 ? scene_.pointed : scene_.marked,
                              &session::LayerPoint::kernel);
  if (key == Qt::Key_Return || key == Qt::Key_Enter) {
    if (on != placed.end()) emit layer_chosen((*on)->kernel);
    return on != placed.end();
  }
  int step = key == Qt::Key_Left || key == Qt::Key_Up      ? -1
             : key == Qt::Key_Right || key == Qt::Key_Down ? 1
                                                           : 0;
  if (step == 0) return false;
  auto last = std::ptrdiff_t(placed.size()) - 1, at = on - placed.begin();
  at = on == placed.end() ? 0 : std::clamp<std::ptrdiff_t>(at + step, 0, last);
  scene_.pointed = placed[size_t(at)]->kernel;
  update();
  return true;
}

/// What a point is of, where one points at it.
bool RooflineView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !scene_.layers) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  session::LayerPoint const* layer = scene_.layer_at(units(help->pos()));
  if (!layer) return Canvas::event(event);
  QToolTip::showText(help->globalPos(), paint::wrapped(scene_.words_of(*layer)), this);
  return true;
}

}  // namespace tw
