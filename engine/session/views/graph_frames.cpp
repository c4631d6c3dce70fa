#include "engine/session/views/graph_frames.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/session/views/graph_columns.h"

namespace tw::session {
namespace {

/// What stands in a frame, or outside of all: cards, frames, and the places where lines pass its
/// border.
struct Room {
  Layout layout;
  std::map<int, int> of_card, of_frame;  ///< nodes of the layout
  std::map<int, int> entry, exit;        ///< by the card where the line begins
  std::map<std::tuple<int, int, int>, int> edges;
  double dx = 0, dy = 0;  ///< where it stands in its frame, then in the whole
};

class Framing {
public:
  Framing(FramedLayout& layout, LayoutOptions const& options)
      : whole_(layout), options_(options), rooms_(layout.frames.size() + 1) {}

  bool run() {
    if (!fill_rooms()) return false;
    for (Room const& room : rooms_) all_ += int64_t(room.layout.nodes.size());
    for (int f = int(whole_.frames.size()); f-- > -1;)
      if (!lay_out_room(f)) return false;
    place();
    join();
    return !stopped();
  }

private:
  /// An edge's way through a room.
  struct Piece {
    int frame = -1, edge = -1;
  };

  /// The part of the time that edges take to be cut at frames.
  static constexpr double kFilled = 0.5;

  bool stopped() const { return options_.stop.stop_requested(); }

  bool fill_rooms() {
    for (size_t i = 0; i < whole_.cards.size(); ++i) {
      Room& room = room_of(whole_.cards[i].frame);
      room.of_card[int(i)] = int(room.layout.nodes.size());
      room.layout.nodes.push_back({whole_.cards[i].width, whole_.cards[i].height, 0, 0, 0});
    }
    for (size_t f = 0; f < whole_.frames.size(); ++f) {
      Room& room = room_of(whole_.frames[f].parent);
      room.of_frame[int(f)] = int(room.layout.nodes.size());
      room.layout.nodes.push_back({});
    }
    for (FramedEdge const& edge : whole_.edges) {
      if (stopped()) return false;
      pieces_.push_back(pieces_of(edge));
      report(kFilled * double(pieces_.size()) / double(whole_.edges.size()));
    }
    return true;
  }

  void report(double part) const {
    constexpr int64_t kAll = 1000;
    if (options_.progress) options_.progress({"layout", int64_t(part * kAll), kAll});
  }

  Room& room_of(int frame) { return rooms_[size_t(frame + 1)]; }

  std::vector<int> frames_around(int card) const {
    std::vector<int> around;
    for (int f = whole_.cards[size_t(card)].frame; f >= 0; f = whole_.frames[size_t(f)].parent)
      around.push_back(f);
    around.push_back(-1);
    return around;  // innermost first
  }

  static int door(Room& room, std::map<int, int>& doors, int card, LayoutPin pin) {
    auto [found, added] = doors.emplace(card, int(room.layout.nodes.size()));
    if (added) {
      room.layout.nodes.push_back({12, 0, 0, 0, 0});
      room.layout.nodes.back().pin = pin;
    }
    return found->second;
  }

  Piece piece(int frame, int from, int to, int card) {
    Room& room = room_of(frame);
    auto [found, added] =
        room.edges.emplace(std::tuple(from, to, card), int(room.layout.edges.size()));
    if (added) room.layout.edges.push_back({from, to, {}});
    return {frame, found->second};
  }

  std::vector<Piece> pieces_of(FramedEdge const& edge) {
    std::vector<int> out = frames_around(edge.from), in = frames_around(edge.to);
    while (out.size() > 1 && in.size() > 1 && out[out.size() - 2] == in[in.size() - 2])
      out.pop_back(), in.pop_back();
    std::vector<Piece> pieces;
    auto node = [&](std::vector<int> const& around, size_t level, int card) {
      Room& room = room_of(around[level]);
      return level == 0 ? room.of_card.at(card) : room.of_frame.at(around[level - 1]);
    };
    for (size_t i = 0; i + 1 < out.size(); ++i) {
      Room& room = room_of(out[i]);
      int gate = door(room, room.exit, edge.from, LayoutPin::kLast);
      pieces.push_back(piece(out[i], node(out, i, edge.from), gate, edge.from));
    }
    pieces.push_back(piece(out.back(), node(out, out.size() - 1, edge.from),
                           node(in, in.size() - 1, edge.to), edge.from));
    for (size_t i = in.size() - 1; i-- > 0;) {
      Room& room = room_of(in[i]);
      int gate = door(room, room.entry, edge.from, LayoutPin::kFirst);
      pieces.push_back(piece(in[i], gate, node(in, i, edge.to), edge.from));
    }
    return pieces;
  }

  /// Frames in it are laid out already: lines reach them where they pass their borders.
  bool lay_out_room(int frame) {
    Room& room = room_of(frame);
    std::map<int, int> frame_at;  // by node
    for (auto const& [inner, node] : room.of_frame) {
      frame_at[node] = inner;
      room.layout.nodes[size_t(node)].width = whole_.frames[size_t(inner)].width;
      room.layout.nodes[size_t(node)].height = whole_.frames[size_t(inner)].height;
    }
    for (auto const& [key, index] : room.edges) {
      auto const& [from, to, card] = key;
      LayoutEdge& edge = room.layout.edges[size_t(index)];
      if (auto at = frame_at.find(from); at != frame_at.end())
        edge.from_at = door_at(at->second, &Room::exit, card);
      if (auto at = frame_at.find(to); at != frame_at.end())
        edge.to_at = door_at(at->second, &Room::entry, card);
    }
    if (!session::lay_out(room.layout, options_of(room))) return false;
    done_ += int64_t(room.layout.nodes.size());
    if (frame < 0) {
      flow_in_columns(room.layout, whole_.room_width, whole_.room_height);
      return true;
    }
    Frame& around = whole_.frames[size_t(frame)];
    double inner = room.layout.width + 2 * kFramePad;
    around.width = std::max(inner, around.least_width);
    room.dx = kFramePad + (around.width - inner) / 2;
    room.dy = room.entry.empty() ? kFrameHead + 8 : 0;
    around.height = room.dy + room.layout.height + (room.exit.empty() ? kFramePad : 0);
    return true;
  }

  /// A room's part of the progress is as large as its part of what stands in all of them.
  LayoutOptions options_of(Room const& room) const {
    LayoutOptions own = options_;
    if (own.progress)
      own.progress = [this,
                      nodes = double(room.layout.nodes.size())](ProgressReport const& of_room) {
        double passed = double(done_) + nodes * double(of_room.done) / double(of_room.total);
        report(kFilled + (1 - kFilled) * passed / double(all_));
      };
    return own;
  }

  double door_at(int frame, std::map<int, int> Room::*doors, int card) {
    Room& room = room_of(frame);
    LayoutNode const& node = room.layout.nodes[size_t((room.*doors).at(card))];
    return room.dx + node.x + node.width / 2;
  }

  void place() {
    whole_.width = rooms_[0].layout.width;
    whole_.height = rooms_[0].layout.height;
    for (size_t f = 0; f < whole_.frames.size(); ++f) {
      Frame& frame = whole_.frames[f];
      Room& outer = room_of(frame.parent);
      LayoutNode const& at = outer.layout.nodes[size_t(outer.of_frame.at(int(f)))];
      frame.x = outer.dx + at.x;
      frame.y = outer.dy + at.y;
      room_of(int(f)).dx += frame.x;
      room_of(int(f)).dy += frame.y;
    }
    for (size_t i = 0; i < whole_.cards.size(); ++i) {
      Room& room = room_of(whole_.cards[i].frame);
      LayoutNode const& at = room.layout.nodes[size_t(room.of_card.at(int(i)))];
      whole_.cards[i].x = room.dx + at.x;
      whole_.cards[i].y = room.dy + at.y;
    }
  }

  void join() {
    for (size_t e = 0; e < pieces_.size(); ++e) {
      auto& points = whole_.edges[e].points;
      for (Piece const& piece : pieces_[e]) {
        Room const& room = room_of(piece.frame);
        for (auto const& [x, y] : room.layout.edges[size_t(piece.edge)].points) {
          std::pair<double, double> point(x + room.dx, y + room.dy);
          if (points.empty() || points.back() != point) points.push_back(point);
        }
      }
    }
  }

  FramedLayout& whole_;
  LayoutOptions const& options_;
  std::vector<Room> rooms_;
  std::vector<std::vector<Piece>> pieces_;
  int64_t done_ = 0, all_ = 0;  ///< cards, frames and doors
};

}  // namespace

bool lay_out(FramedLayout& layout, LayoutOptions const& options) {
  return layout.cards.empty() || Framing(layout, options).run();
}

}  // namespace tw::session
