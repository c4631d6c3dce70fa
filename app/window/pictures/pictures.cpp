// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/pictures/pictures.h"

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/window/pictures/controls_aside.h"
#include "widgets/paint/canvas.h"
#include "widgets/paint/whole_picture.h"

namespace tw {

namespace {

constexpr int kLargest = 400'000;  // pixels of a side; what is larger is cut
// What a painter of pixels can address, and how many there are at most.
constexpr double kLongestImage = 32'000, kMostPixels = 120e6;
constexpr double kLongestPage = 14'400;  // points: what readers of PDF open
constexpr int kRounds = 16;              // a wider view may be less high, or the other way round

/// How many pixels a step of a scroll bar is.
int step_of(QScrollBar const* bar, QAbstractScrollArea const* area) {
  bool down = bar->orientation() == Qt::Vertical;
  if (qobject_cast<QPlainTextEdit const*>(area))
    return down ? area->fontMetrics().lineSpacing() : 1;
  auto const* items = qobject_cast<QAbstractItemView const*>(area);
  if (!items) return 1;
  auto mode = down ? items->verticalScrollMode() : items->horizontalScrollMode();
  if (mode == QAbstractItemView::ScrollPerPixel) return 1;
  return std::max(1, down ? items->sizeHintForRow(0) : items->sizeHintForColumn(0));
}

int hidden(QScrollBar const* bar, QAbstractScrollArea const* area) {
  return (bar->maximum() - bar->minimum()) * step_of(bar, area);
}

/// While one is alive the view is so large that nothing of it is hidden. No event is waited for:
/// nobody sees it.
class Whole {
public:
  explicit Whole(QWidget& view) : view_(view), was_(view.geometry()) {
    for (auto* area : view.findChildren<QAbstractScrollArea*>()) add(area);
    if (auto* area = qobject_cast<QAbstractScrollArea*>(&view)) add(area);
    for (QWidget* part : view.findChildren<QWidget*>()) begin(part);
    begin(&view);
    for (int i = 0; i < kRounds && grow(); ++i) {
    }
  }
  ~Whole() {
    for (HasWholePicture* part : parts_) part->end_whole();
    for (Area const& one : areas_) one.area->setVerticalScrollBarPolicy(one.down);
    for (Area const& one : areas_) one.area->setHorizontalScrollBarPolicy(one.across);
    view_.setGeometry(was_);
    for (auto const& [bar, value] : scrolled_) bar->setValue(value);
  }
  Whole(Whole const&) = delete;
  Whole& operator=(Whole const&) = delete;

private:
  void add(QAbstractScrollArea* area) {
    for (QScrollBar* bar : {area->horizontalScrollBar(), area->verticalScrollBar()})
      scrolled_.emplace_back(bar, bar->value()), bars_.push_back({area, bar});
    areas_.push_back({area, area->verticalScrollBarPolicy(), area->horizontalScrollBarPolicy()});
    area->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  }
  void begin(QWidget* widget) {
    auto* part = dynamic_cast<HasWholePicture*>(widget);
    auto* canvas = dynamic_cast<Canvas*>(widget);
    if (!part || !canvas || !widget->isVisibleTo(&view_)) return;
    QSize wanted = canvas->pixels(part->begin_whole());
    parts_.push_back(part);
    resize(view_.size() + (wanted - widget->size()).expandedTo(QSize(0, 0)));
  }
  struct Part {
    QAbstractScrollArea* area;
    QScrollBar* bar;
    int hides = 0;      ///< pixels, before the view grew
    bool grows = true;  ///< with the view
  };
  /// By what the part hides that hides most; false: that brings nothing, or is not needed.
  bool grow() {
    QSize before = view_.size(), more(0, 0);
    for (Part& part : bars_) {
      bool seen = part.area == &view_ || part.area->isVisibleTo(&view_);
      part.hides = seen && part.grows ? hidden(part.bar, part.area) : 0;
      bool down = part.bar->orientation() == Qt::Vertical;
      more = more.expandedTo(down ? QSize(0, part.hides) : QSize(part.hides, 0));
    }
    resize(before + more);
    bool wider = false, taller = false;
    for (Part& part : bars_) {
      if (part.hides == 0) continue;
      part.grows = hidden(part.bar, part.area) < part.hides;
      (part.bar->orientation() == Qt::Vertical ? taller : wider) |= part.grows;
    }
    // Of what does not grow with the view no more is seen in a larger one.
    QSize now = view_.size();
    resize(QSize(wider ? now.width() : before.width(), taller ? now.height() : before.height()));
    return wider || taller;
  }
  void resize(QSize size) { view_.resize(size.boundedTo(QSize(kLargest, kLargest))); }

  struct Area {
    QAbstractScrollArea* area;
    Qt::ScrollBarPolicy down, across;
  };

  QWidget& view_;
  QRect was_;
  std::vector<Area> areas_;
  std::vector<Part> bars_;
  std::vector<std::pair<QScrollBar*, int>> scrolled_;
  std::vector<HasWholePicture*> parts_;
};

/// A view and the words above it.
class Sheet {
public:
  Sheet(QWidget& view, QString const& caption) : whole_(view), aside_(view), view_(view) {
    if (caption.isEmpty()) return;
    QFontMetrics letters(font());
    QString line = QString(caption).replace("\n", QStringLiteral(" · "));
    lines_ = letters.horizontalAdvance(line) <= room() ? QStringList{line} : caption.split('\n');
    above_ = int(lines_.size()) * letters.height() + 2 * kAround;
  }
  QSize size() const { return aside_.part().size() + QSize(0, above_); }
  void paint(QPainter& painter) {
    painter.save();
    painter.translate(0, above_ - aside_.part().top());
    view_.render(&painter);
    painter.restore();
    if (above_ == 0) return;
    QPalette colours = QApplication::palette();
    painter.fillRect(0, 0, size().width(), above_, colours.color(QPalette::Window));
    painter.setPen(colours.color(QPalette::WindowText));
    painter.setFont(font());
    QFontMetrics letters(font());
    for (qsizetype i = 0; i < lines_.size(); ++i)
      painter.drawText(kBeside, kAround + int(i) * letters.height() + letters.ascent(),
                       letters.elidedText(lines_[i], Qt::ElideMiddle, room()));
  }

private:
  static constexpr int kAround = 7, kBeside = 12;
  int room() const { return view_.width() - 2 * kBeside; }
  QFont font() const {
    QFont font = view_.font();
    font.setWeight(QFont::DemiBold);
    return font;
  }

  Whole whole_;
  ControlsAside aside_;
  QWidget& view_;
  QStringList lines_;
  int above_ = 0;
};

/// Less than wished where the picture would be too large: all of it is in there all the same.
double density_of(QSize size) {
  double longest = std::max({size.width(), size.height(), 1});
  double area = std::max(1.0, double(size.width()) * size.height());
  return std::min(
      {double(kPictureDensity), kLongestImage / longest, std::sqrt(kMostPixels / area)});
}

}  // namespace

QImage image_of(QWidget& view, QString const& caption) {
  Sheet sheet(view, caption);
  double density = density_of(sheet.size());
  QImage image((QSizeF(sheet.size()) * density).toSize(), QImage::Format_ARGB32_Premultiplied);
  if (image.isNull()) return image;
  image.setDevicePixelRatio(density);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  sheet.paint(painter);
  return image;
}

QByteArray svg_of(QWidget& view, QString const& title, QString const& caption) {
  Sheet sheet(view, caption);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(sheet.size());
  generator.setViewBox(QRect(QPoint(0, 0), sheet.size()));
  // A unit of the file is a pixel of the window.
  generator.setResolution(view.logicalDpiX());
  generator.setTitle(title);
  QPainter painter(&generator);
  sheet.paint(painter);
  painter.end();
  return bytes;
}

QByteArray pdf_of(QWidget& view, QString const& title, QString const& caption) {
  Sheet sheet(view, caption);
  QSize const size = sheet.size();
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setTitle(title);
  writer.setCreator("Tilewright");
  // A unit of the page is a pixel of the window, unless no reader would open so large a page.
  double longest = std::max(size.width(), size.height());
  double points = std::min(72.0 / view.logicalDpiX(), kLongestPage / std::max(1.0, longest));
  writer.setResolution(view.logicalDpiX());
  writer.setPageSize(QPageSize(QSizeF(size) * points, QPageSize::Point, {}, QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  QPainter painter(&writer);
  painter.scale(double(writer.width()) / std::max(1, size.width()),
                double(writer.height()) / std::max(1, size.height()));
  sheet.paint(painter);
  painter.end();
  return bytes;
}

QByteArray picture_of(QWidget& view, QString const& title, QString const& file,
                      QString const& caption) {
  auto ends = [&](char const* ending) { return file.endsWith(ending, Qt::CaseInsensitive); };
  if (ends(".svg")) return svg_of(view, title, caption);
  if (ends(".pdf")) return pdf_of(view, title, caption);
  if (!ends(".png")) return {};
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image_of(view, caption).save(&buffer, "PNG");
  return bytes;
}

}  // namespace tw
