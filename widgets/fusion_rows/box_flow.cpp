// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/fusion_rows/box_flow.h"

#include <algorithm>
#include <optional>

namespace tw {
namespace {

constexpr double kGap = 16;    ///< between boxes: an arrow's length
constexpr double kLane = 7;    ///< between lines that run below the boxes
constexpr double kBelow = 6;   ///< from a box to the first of them
constexpr double kMargin = 8;  ///< left of the boxes: lines come in there

/// Of one line of boxes: what runs below it, in lanes in which nothing meets.
struct Lanes {
  std::vector<std::vector<std::pair<double, double>>> taken;

  int put(double from, double to) {
    auto is_free = [&](auto const& lane) {
      return std::ranges::none_of(
          lane, [&](auto const& one) { return one.first < to && from < one.second; });
    };
    auto lane = std::ranges::find_if(taken, is_free);
    if (lane == taken.end()) lane = taken.insert(lane, {{}});
    lane->push_back({from, to});
    return int(lane - taken.begin());
  }
};

struct Link {
  std::optional<int> from;  ///< a box of the same line; none: the left edge
  int to = 0;
};

class Flow {
public:
  Flow(std::vector<FlowBox> const& boxes, double width, double box_height)
      : boxes_(boxes), width_(width), high_(box_height) {}

  BoxFlow run() {
    size_t begin = 0;
    while (begin < boxes_.size()) {
      size_t end = line_from(begin);
      link(begin, end);
      begin = end;
      if (begin < boxes_.size()) top_ += kBelow;
    }
    made_.height = top_;
    return std::move(made_);
  }

private:
  /// Places boxes up to the end of the line.
  size_t line_from(size_t begin) {
    double x = kMargin;
    size_t end = begin;
    for (; end < boxes_.size(); ++end) {
      double wide = std::min(boxes_[end].width, width_ - kMargin);
      if (end > begin && x + wide > width_) break;
      made_.boxes.emplace_back(x, top_, wide, high_);
      x += wide + kGap;
    }
    return end;
  }

  void link(size_t begin, size_t end) {
    Lanes lanes;
    for (size_t i = begin; i < end; ++i) {
      bool edge = boxes_[i].from_outside && i > 0;
      for (int read : boxes_[i].reads) {
        if (read < int(begin))
          edge = true;
        else if (read + 1 == int(i))
          straight(made_.boxes[size_t(read)], made_.boxes[i]);
        else
          below({read, int(i)}, lanes);
      }
      if (edge && i == begin)
        straight(QRectF(0, top_, 0, high_), made_.boxes[i]);
      else if (edge)
        below({std::nullopt, int(i)}, lanes);
    }
    top_ += high_;
    if (!lanes.taken.empty()) top_ += kBelow + kLane * double(lanes.taken.size() - 1);
  }

  void straight(QRectF const& from, QRectF const& to) {
    QPainterPath path(QPointF(from.right(), from.center().y()));
    path.lineTo(to.left(), to.center().y());
    add(path, false);
  }

  void below(Link const& link, Lanes& lanes) {
    QRectF const& to = made_.boxes[size_t(link.to)];
    double x = link.from ? made_.boxes[size_t(*link.from)].center().x() : 0;
    double y = to.bottom() + kBelow + kLane * lanes.put(x, to.center().x());
    QPainterPath path(QPointF(x, link.from ? to.bottom() : y));
    if (link.from) path.lineTo(x, y);
    path.lineTo(to.center().x(), y);
    path.lineTo(to.center().x(), to.bottom());
    add(path, true);
  }

  void add(QPainterPath const& path, bool upward) {
    made_.heads.push_back(path.currentPosition());
    made_.links.push_back(path);
    made_.upward.push_back(upward);
  }

  std::vector<FlowBox> const& boxes_;
  double width_, high_, top_ = 0;
  BoxFlow made_;
};

}  // namespace

BoxFlow flow_boxes(std::vector<FlowBox> const& boxes, double width, double box_height) {
  return Flow(boxes, width, box_height).run();
}

}  // namespace tw
