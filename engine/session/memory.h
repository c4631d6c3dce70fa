/// Where a kernel's data lies while it runs, in which order its iterations come, and what each of
/// them finds in the caches: questions to a session that few ask, which therefore stand beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/analysis/reuse_distance.h"
#include "engine/session/values.h"

namespace tw::session {

class Session;

// ---- memories and what lies in them --------------------------------------------------------

/// What of a tensor lies in a memory.
struct LanePart {
  std::string tensor;
  int64_t bytes = 0;
  bool exact = true;     ///< false: at most so many
  bool whole = false;    ///< all of the tensor
  bool written = false;  ///< the kernel writes it
};
enum class LaneKind : uint8_t { kRegisters, kCache, kScope, kMain };
struct MemoryLane {
  std::string name;  ///< "Registers", "L1", "shared", "DRAM"
  LaneKind kind = LaneKind::kCache;
  int level = 0;          ///< among caches and main memory, the nearest 0
  std::string doc;        ///< "16 of 32 bytes", "one instance per block"; may be empty
  int64_t bytes = 0;      ///< of one instance; 0: not known
  int64_t used = 0;       ///< bytes of one instance that `parts` take
  int loop = -1;          ///< one iteration of it works on these; -1: the whole kernel does
  std::string reference;  ///< of that loop, as scripts call it
  std::vector<LanePart> parts;
};
/// From the nearest memory to main memory.
struct LanesView {
  uint64_t program_hash = 0;
  std::string block;  ///< the one that runs most often, whose loops are spoken of
  std::vector<std::string> readable, writable;  ///< tensors that it reads, and writes
  std::vector<std::string> names;               ///< of all tensors and blocks
  std::vector<MemoryLane> lanes;
};
/// The steps that copy a tensor into a memory, for as long as the lane's loop runs once: what a
/// drop there asks for, as one script line. Empty: there is nothing to do.
std::string line_for_drop(LanesView const& view, std::string const& tensor, MemoryLane const& lane);

// ---- iterations ------------------------------------------------------------------------------

struct PlaneAsked {
  std::string block;        ///< empty: the one that runs most often
  std::string right, down;  ///< its axes; empty: two with tiles, else the longest
  bool operator==(PlaneAsked const&) const = default;
};
/// A loop that goes along an axis by so many iterations at once.
struct PlaneStride {
  int loop = -1;
  std::string reference;
  int64_t stride = 1;
  LoopMark mark = LoopMark::kSerial;
};
struct PlaneAxis {
  std::string name, role;
  int64_t extent = 1;
  int hue = 0;
  AxisKind kind = AxisKind::kSpatial;
  std::vector<PlaneStride> strides;  ///< outermost first; a loop of several axes is left out
};
/// One iteration reads what another one wrote, so far away along the axes.
struct PlaneArrow {
  int64_t right = 0, down = 0;
  std::string words;  ///< "C: each k adds to what the k before left"
};
struct PlanePoint {
  int32_t right = 0, down = 0;
};
struct PlaneView {
  PlaneAsked of;                    ///< what is shown
  std::vector<std::string> blocks;  ///< that may be asked for
  std::vector<std::string> axes;    ///< of the block
  PlaneAxis right, down;
  std::vector<PlanePoint> order;  ///< in which iterations come while all other loops stand still
  bool complete = true;           ///< false: `order` has the first ones only
  int64_t skipped = 0;            ///< of those, iterations outside of the axes, which a guard skips
  std::vector<PlaneArrow> arrows;
};
/// The step that cuts both axes into tiles of so many iterations, along the innermost serial loop
/// of each. Empty: there is none that could be cut so.
std::string line_for_tile(PlaneView const& view, int64_t right, int64_t down);

// ---- accesses through caches -------------------------------------------------------------------

struct FilmTensor {
  std::string name, dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  ///< in elements
  int64_t element_bytes = 1;
  std::string memory;  ///< empty: main memory

  int64_t bytes() const;  ///< what is between rows included
  /// Where an element lies, by its number in row-major order; and the element that lies at a byte,
  /// or the last one before it.
  int64_t byte_of(int64_t element) const;
  int64_t element_at(int64_t byte) const;
};
struct FilmLevel {
  std::string name;  ///< "L1"; the last one is main memory
  int64_t bytes = 0;
  int ways = 0;
};
/// The first iteration of a stage, as a share of the kernel's.
struct FilmPlace {
  std::string stage;
  double from = 0;
};
enum class MissKind : uint8_t {
  kHit,
  kCold,      ///< never seen before
  kCapacity,  ///< a cache of this size would not have kept it, wherever it may put its lines
  kConflict   ///< one that may put lines anywhere would have
};
struct FilmAccess {
  int32_t tensor = 0;
  int64_t element = 0;
  bool writes = false;
  int8_t level = 0;  ///< that had it; 0: the nearest cache
  MissKind miss = MissKind::kHit;
};
/// A line of cache is nearest in this level from a frame on.
struct LineMove {
  int32_t frame = 0;
  int8_t level = 0;
};
/// Iterations of the kernel's blocks in their order, on one unit: a frame is one iteration, or all
/// lanes of a vector.
struct AccessFilm {
  uint64_t program_hash = 0;
  std::string failure;            ///< a sentence instead of frames
  std::string note;               ///< what is not shown; may be empty
  double from = 0;                ///< share of the kernel's iterations before the first frame
  std::vector<FilmPlace> places;  ///< where one may want to begin
  double share = 0;               ///< of them that the frames show
  int64_t line_bytes = 64;
  std::vector<FilmTensor> tensors;
  std::vector<FilmLevel> levels;
  std::vector<int> loops;             ///< whose values `values` has
  std::vector<std::string> names;     ///< of those loops
  std::vector<int32_t> values;        ///< per frame one of each loop; -1: it is not around
  std::vector<int64_t> first_access;  ///< per frame, and the end
  std::vector<FilmAccess> accesses;
  std::vector<std::unordered_map<int64_t, std::vector<LineMove>>> lines;  ///< per tensor, by line
  std::vector<int64_t> answered;   ///< per frame, of each level: accesses it had up to here
  std::vector<int64_t> missed;     ///< per frame, of cold, capacity and conflict, up to here
  analysis::ReuseHistogram reuse;  ///< of the frames' accesses to lines, warm as the caches are

  int frames() const { return int(first_access.empty() ? 0 : first_access.size() - 1); }
  int64_t answered_by(int frame, size_t level) const {
    return answered[size_t(frame) * levels.size() + level];
  }
  int64_t missed_by(int frame, MissKind kind) const {
    return missed[size_t(frame) * 3 + size_t(kind) - 1];
  }
  /// The level that a line is nearest in, at a frame; main memory where it was never read.
  int level_at(int frame, int32_t tensor, int64_t element) const;
};

// ---- what flows between memories ---------------------------------------------------------------

/// Between a memory and the one before it; the nearest hands over what the instructions ask for.
struct FlowLink {
  std::string name;    ///< of the farther memory: "L1"
  double bytes = 0;    ///< in one run, modelled
  double rate = 0;     ///< GB/s that it was measured to hand over; 0: not known
  double ms = 0;       ///< that the bytes take so; 0: they stay nearer from run to run
  double of_time = 0;  ///< of the run's modelled time
  bool binds = false;  ///< nothing takes longer
};
/// Of the state that is looked at, from the nearest memory to the farthest. Empty: it is not
/// modelled.
std::vector<FlowLink> memory_flow(RooflineView const& roofline);

// ---- asked of a session ------------------------------------------------------------------------

/// All three speak of the current state and are memoized, the last ones. Null: not there yet, the
/// listener is called when it is; or there is no kernel.
std::shared_ptr<LanesView const> lanes(Session& session);
std::shared_ptr<PlaneView const> plane(Session& session, PlaneAsked const& asked);
/// After that share of the kernel's iterations; below 0: where the stage begins that runs most.
std::shared_ptr<AccessFilm const> film(Session& session, double from);

}  // namespace tw::session
