#include "engine/session/views/film_views.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/access_walk.h"
#include "engine/analysis/cache_model.h"
#include "engine/compile/load_time.h"
#include "engine/ir/stmt.h"
#include "engine/ir/strides.h"
#include "engine/schedule/rewriting/expand_calls.h"
#include "engine/session/views/lane_views.h"

namespace tw::session {
namespace {

constexpr int kMostFrames = 20'000;
constexpr size_t kMostAccesses = 400'000;
constexpr int64_t kWarming = 400'000;  // instances before the first frame that fill the caches

FilmTensor tensor_of(ir::BufferNode const& buffer) {
  FilmTensor tensor{.name = buffer.name,
                    .dtype = std::string(to_text(buffer.type)),
                    .shape = ir::constant_shape(buffer).value_or(std::vector<int64_t>()),
                    .strides = ir::strides_of(buffer).value_or(std::vector<int64_t>()),
                    .element_bytes = int64_t(size_of(buffer.type)),
                    .memory = {}};
  if (buffer.scope != kGlobalScope && buffer.scope != ir::kParameterScope)
    tensor.memory = buffer.scope;
  return tensor;
}

/// Takes frames while the walk goes by.
class Camera {
public:
  Camera(AccessFilm& film, std::vector<analysis::CacheShape> shapes)
      : film_(film), caches_(std::move(shapes)), main_(int8_t(caches_.levels().size())) {
    caches_.dropped = [this](int64_t line) { move(line); };
  }

  /// Tensors lie one behind the other, each from the beginning of a line on.
  void place(FilmTensor const& tensor) {
    first_line_.push_back(next_line_);
    next_line_ += (tensor.bytes() + film_.line_bytes - 1) / film_.line_bytes;
    film_.lines.emplace_back();
  }

  void warm(analysis::WalkedInstance const& at) {
    for (analysis::WalkedAccess const& access : at.accesses) {
      int64_t line = line_of(access);
      caches_.touch(line);
      distances_.use(line);
    }
  }

  /// What the warming left where.
  void begin() {
    for (int64_t line = 0; line < next_line_; ++line)
      if (caches_.nearest(line) < main_) move(line);
  }

  /// False: there is no more room.
  bool take(analysis::WalkedInstance const& at) {
    if (at.first_lane || frame_ < 0) {
      if (frame_ + 1 >= kMostFrames || film_.accesses.size() >= kMostAccesses) return false;
      begin_frame(at);
    }
    for (analysis::WalkedAccess const& access : at.accesses) {
      int64_t line = line_of(access);
      int8_t before = known_level(line);
      analysis::CacheModel::Answer answer = caches_.touch(line);
      film_.reuse.add(distances_.use(line));
      film_.accesses.push_back({access.tensor, access.element, access.writes, int8_t(answer.level),
                                MissKind(int(answer.miss))});
      if (before != 0) move(line);
      answered_[size_t(answer.level)] += 1;
      if (answer.miss != analysis::Miss::kNone) missed_[size_t(answer.miss) - 1] += 1;
    }
    return true;
  }

  void end() {
    if (frame_ >= 0) end_frame();
    film_.first_access.push_back(int64_t(film_.accesses.size()));
  }

private:
  void begin_frame(analysis::WalkedInstance const& at) {
    if (frame_ >= 0) end_frame();
    ++frame_;
    film_.first_access.push_back(int64_t(film_.accesses.size()));
    film_.values.insert(film_.values.end(), at.loops.begin(), at.loops.end());
  }
  void end_frame() {
    film_.answered.insert(film_.answered.end(), answered_.begin(), answered_.end());
    film_.missed.insert(film_.missed.end(), missed_.begin(), missed_.end());
  }

  int64_t line_of(analysis::WalkedAccess const& access) const {
    FilmTensor const& tensor = film_.tensors[size_t(access.tensor)];
    return first_line_[size_t(access.tensor)] + tensor.byte_of(access.element) / film_.line_bytes;
  }
  std::pair<size_t, int64_t> place_of(int64_t line) const {
    auto after = std::ranges::upper_bound(first_line_, line);
    size_t tensor = size_t(after - first_line_.begin()) - 1;
    return {tensor, line - first_line_[tensor]};
  }
  int8_t known_level(int64_t line) const {
    auto [tensor, number] = place_of(line);
    auto moves = film_.lines[tensor].find(number);
    return moves == film_.lines[tensor].end() ? main_ : moves->second.back().level;
  }
  /// Where the line is nearest now.
  void move(int64_t line) {
    auto [tensor, number] = place_of(line);
    auto level = int8_t(caches_.nearest(line));
    std::vector<LineMove>& moves = film_.lines[tensor][number];
    int32_t frame = std::max(frame_, 0);
    if (!moves.empty() && moves.back().frame == frame)
      moves.back().level = level;
    else if (moves.empty() || moves.back().level != level)
      moves.push_back({frame, level});
  }

  AccessFilm& film_;
  analysis::CacheModel caches_;
  analysis::ReuseDistances distances_;
  int8_t main_;
  int32_t frame_ = -1;
  int64_t next_line_ = 0;
  std::vector<int64_t> first_line_;
  std::vector<int64_t> answered_ = std::vector<int64_t>(caches_.levels().size() + 1, 0);
  std::vector<int64_t> missed_ = std::vector<int64_t>(3, 0);
};

std::string note_of(analysis::AccessWalk const& walk, Target const& target) {
  std::string note = "One unit runs all iterations; caches of " + target.hardware.name;
  if (!walk.unknown().empty())
    note += fmt::format("; indirect accesses to {} are omitted", fmt::join(walk.unknown(), ", "));
  return note + ".";
}

/// Why there cannot be one; empty: there can.
std::string trouble_of(Target const& target) {
  if (analysis::cache_shapes(target.hardware).empty())
    return "This target has no caches: the program manages its memories; the timeline shows when.";
  if (!target.axes.empty()) return "Concurrent threads: no single access order.";
  return {};
}

/// What the film is of, before its first frame.
void describe(AccessFilm& film, analysis::AccessWalk const& walk,
              std::vector<analysis::CacheShape> const& shapes, Camera& camera) {
  for (analysis::CacheShape const& shape : shapes)
    film.levels.push_back({shape.name, shape.bytes, shape.ways});
  film.levels.push_back({"DRAM", 0, 0});
  for (ir::Buffer const& buffer : walk.tensors()) {
    film.tensors.push_back(tensor_of(*buffer));
    camera.place(film.tensors.back());
  }
  for (ir::For const* loop : walk.loops()) {
    film.loops.push_back(loop->id.value);
    film.names.push_back(loop->name());
  }
  for (auto const& [name, number] : walk.blocks())
    film.places.push_back({name, double(number) / double(walk.instances())});
}

/// The number of the first instance.
int64_t first_of(AccessFilm const& film, ir::Program const& program, int64_t instances,
                 double from) {
  auto busiest = busiest_block(program);
  for (FilmPlace const& place : film.places)
    if (from < 0 && busiest && place.stage == busiest->block->name) from = place.from;
  auto first = int64_t(std::llround(std::clamp(from, 0.0, 1.0) * double(instances)));
  return std::min(instances - 1, first);
}

/// The caches are warm at the first frame.
void record(AccessFilm& film, analysis::AccessWalk& walk, Camera& camera, int64_t first,
            StopToken stop) {
  int64_t begun = -1, last = first;
  walk.run(std::max<int64_t>(0, first - kWarming), [&](analysis::WalkedInstance const& at) {
    if (stop.stop_requested()) return false;
    if (begun < 0 && (at.number < first || !at.first_lane)) return camera.warm(at), true;
    if (begun < 0) camera.begin();
    if (begun < 0) begun = at.number;
    last = at.number;
    return camera.take(at);
  });
  camera.end();
  film.from = double(std::max(begun, first)) / double(walk.instances());
  if (begun >= 0) film.share = double(last - begun + 1) / double(walk.instances());
}

}  // namespace

AccessFilm access_film(ir::Program const& given, Target const& target, double from,
                       StopToken stop) {
  AccessFilm film;
  film.program_hash = ir::hash(given);
  film.failure = trouble_of(target);
  if (!film.failure.empty()) return film;
  // What is made when the model is loaded is there when the kernel runs.
  ir::Program program = with_calls_expanded(split_load_time(given).at_run);
  analysis::AccessWalk walk(program);
  if (walk.instances() == 0) film.failure = "The kernel has symbolic sizes.";
  if (!film.failure.empty()) return film;
  std::vector<analysis::CacheShape> shapes = analysis::cache_shapes(target.hardware);
  film.line_bytes = shapes.front().line_bytes;
  film.note = note_of(walk, target);
  Camera camera(film, shapes);
  describe(film, walk, shapes, camera);
  record(film, walk, camera, first_of(film, program, walk.instances(), from), stop);
  return film;
}

int64_t FilmTensor::bytes() const {
  return element_bytes * (shape.empty() ? 1 : shape.front() * strides.front());
}

int64_t FilmTensor::byte_of(int64_t element) const {
  int64_t place = 0;
  for (size_t d = shape.size(); d-- > 0; element /= shape[d])
    place += element % shape[d] * strides[d];
  return place * element_bytes;
}

int64_t FilmTensor::element_at(int64_t byte) const {
  int64_t place = byte / element_bytes, element = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t index = std::min(place / strides[d], shape[d] - 1);
    place -= index * strides[d];
    element = element * shape[d] + index;
  }
  return element;
}

int AccessFilm::level_at(int frame, int32_t tensor, int64_t element) const {
  int64_t line = tensors[size_t(tensor)].byte_of(element) / line_bytes;
  auto moves = lines[size_t(tensor)].find(line);
  int main = int(levels.size()) - 1;
  if (moves == lines[size_t(tensor)].end()) return main;
  auto after = std::ranges::upper_bound(moves->second, frame, {}, &LineMove::frame);
  return after == moves->second.begin() ? main : std::prev(after)->level;
}

}  // namespace tw::session
