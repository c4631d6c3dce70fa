#include "targets/shared/gpu/time_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"

namespace tw::gpu {
namespace {

constexpr double kWarp = 32;
/// A kernel that does next to nothing, in a queue of such: 2.4 us on an H200, 2.7 us on an A100,
/// less one load and one store (te42kyfo/gpu-benches, gpu-small-kernels, 64 KB).
constexpr double kLaunchSeconds = 2e-6;
constexpr double kBarrierCycles = 20;  ///< until all warps of a block go on

Busy operator*(Busy const& one, double times) {
  return {one.f32 * times, one.others * times, one.issue * times, one.shared * times,
          one.l2 * times};
}

/// Of a warp.
double matrix_cycles(Instructions const& all, Rates const& rates) {
  double cycles = rates.matrix_lanes > 0 ? all.matrix * kWarp / rates.matrix_lanes : 0;
  if (rates.group_matrix_lanes > 0) cycles += all.group_matrix * kWarp / rates.group_matrix_lanes;
  return cycles;
}

/// Of a warp whose instructions nothing holds up: one of them a cycle, fewer where a unit is
/// narrow.
double alone_cycles(LaunchNest const& nest, Rates const& rates) {
  Instructions const& all = nest.instructions;
  auto cycles = [&](double count, double lanes) { return count * kWarp * rates.issues / lanes; };
  return std::max({all.all(), cycles(all.f32, rates.f32_lanes), cycles(all.f64, rates.f64_lanes),
                   cycles(all.integers, rates.integer_lanes),
                   cycles(all.shuffles, rates.shuffle_lanes),
                   matrix_cycles(all, rates) * rates.issues});
}

/// Cycles that a thread waits, one thing after the other.
double waiting_cycles(LaunchNest const& nest, Traffic const& traffic, Rates const& rates,
                      bool stays) {
  double behind = latency_behind_l1(traffic, rates, stays);
  double load = rates.l1_latency + traffic.fresh_turns * (behind - rates.l1_latency);
  return nest.waits.main * load + nest.waits.shared * rates.shared_latency + nest.waits.cycles +
         nest.barriers * kBarrierCycles;
}

/// One launch on one GPU.
class Timing {
public:
  Timing(LaunchTime& time, Rates const& rates)
      : time_(time), rates_(rates), busy_(busy_of(time.nest, time.traffic, rates)) {}

  void run() {
    double blocks = double(time_.nest.blocks());
    double at_once = double(std::max(1, time_.occupancy.blocks)) * rates_.units;
    double full = std::ceil(blocks / at_once) - 1, rest = blocks - full * at_once;
    time_.waves = int64_t(full) + 1;
    add_wave(full, std::max(1, time_.occupancy.blocks), at_once, blocks);
    add_wave(1, std::ceil(rest / rates_.units), rest, blocks);
    time_.bound = Bound(std::ranges::max_element(bound_) - bound_.begin());
    time_.launch = kLaunchSeconds;
    time_.seconds += time_.launch;
    split(blocks);
  }

private:
  /// `times` waves of so many blocks, of which the fullest multiprocessor has `of_unit`.
  void add_wave(double times, double of_unit, double in_wave, double blocks) {
    if (times <= 0) return;
    Busy busy = busy_ * of_unit;
    std::array<double, kBounds> parts{};
    auto seconds = [&](double cycles) { return cycles / rates_.hertz; };
    parts[size_t(Bound::kArithmetic)] = seconds(busy.arithmetic());
    parts[size_t(Bound::kInstructions)] = seconds(busy.issue);
    parts[size_t(Bound::kShared)] = seconds(busy.shared);
    double share = in_wave / blocks;
    double l2 =
        rates_.l2_bandwidth > 0 ? time_.traffic.l2_busy_bytes * share / rates_.l2_bandwidth : 0;
    parts[size_t(Bound::kL2)] = std::max(seconds(busy.l2), l2);
    if (!time_.stays_in_l2 && rates_.dram_bandwidth > 0)
      parts[size_t(Bound::kDram)] = time_.traffic.dram_bytes * share / rates_.dram_bandwidth;
    parts[size_t(Bound::kWaits)] = seconds(chain());
    size_t longest = size_t(std::ranges::max_element(parts) - parts.begin());
    bound_[longest] += parts[longest] * times;
    time_.seconds += parts[longest] * times;
    // Multiprocessors that have fewer blocks than the fullest one stand still for the rest.
    double filled = in_wave / (of_unit * rates_.units);
    double hidden = *std::max_element(parts.begin(), parts.end() - 1);
    time_.tail += parts[longest] * (1 - filled) * times;
    time_.waits += std::max(0.0, parts[longest] - hidden) * filled * times;
  }

  /// What one block takes by itself: where its threads meet, all of its warps' work lies between
  /// its waits, else one warp's.
  double chain() const {
    double own = time_.nest.barriers > 0 ? busy_.longest() : alone_cycles(time_.nest, rates_);
    return own + waiting_cycles(time_.nest, time_.traffic, rates_, time_.stays_in_l2);
  }

  void split(double blocks) {
    double left = time_.seconds - time_.launch - time_.waits - time_.tail;
    time_.work = std::min(busy_.f32 * blocks / rates_.units / rates_.hertz, left);
    time_.others = left - time_.work;
  }

  LaunchTime& time_;
  Rates const& rates_;
  Busy busy_;
  std::array<double, kBounds> bound_{};
};

/// From run to run. Nothing is said of an L2 whose speed is not known.
bool stays_in_l2(Rates const& rates, double data_bytes) {
  return rates.l2_bandwidth > 0 && data_bytes <= double(rates.l2_bytes);
}

ir::Substitution greatest_sizes(ir::Function const& host) {
  ir::Substitution greatest;
  for (ir::SizeParam const& size : host.sizes)
    greatest[size.var.to<ir::Variable>().name] = ir::int_imm(size.high);
  return greatest;
}

/// Outermost nests one after the other; what they share is allocated around them.
void each_nest(ir::Stmt const& s, std::vector<ir::Stmt>& nests) {
  if (auto const* list = s.as<ir::Seq>()) {
    for (ir::Stmt const& child : list->stmts) each_nest(child, nests);
  } else if (auto const* alloc = s.as<ir::Alloc>()) {
    each_nest(alloc->body, nests);
  } else if (s.as<ir::For>() || s.as<ir::If>() || s.as<ir::Store>() || s.as<ir::Let>()) {
    nests.push_back(s);
  }
}

/// Levels of memory over all launches, each alone at its bandwidth.
analysis::TimeModel model_of(std::vector<LaunchTime> const& launches, Rates const& rates,
                             double data_bytes) {
  analysis::TimeModel model;
  analysis::LevelTraffic shared{"shared"}, l2{"L2"}, dram{"DRAM"};
  std::array<double, kBounds> bound{};
  for (LaunchTime const& one : launches) {
    double blocks = double(one.nest.blocks());
    Busy busy = busy_of(one.nest, one.traffic, rates);
    double even = blocks / rates.units / rates.hertz;
    model.seconds += one.seconds;
    model.flops += one.nest.instructions.flops * double(one.nest.threads()) * blocks;
    model.arithmetic_seconds += std::max(busy.arithmetic(), busy.issue) * even;
    shared.bytes += (one.traffic.shared_cycles + one.traffic.l1_cycles) * 128 * blocks;
    shared.seconds += busy.shared * even;
    l2.bytes += one.traffic.l2_bytes;
    if (rates.l2_bandwidth > 0) l2.seconds += one.traffic.l2_busy_bytes / rates.l2_bandwidth;
    dram.bytes += one.traffic.dram_bytes;
    bound[size_t(one.bound)] += one.seconds;
  }
  if (!stays_in_l2(rates, data_bytes) && rates.dram_bandwidth > 0)
    dram.seconds = dram.bytes / rates.dram_bandwidth;
  model.levels = {shared, l2, dram};
  auto most = Bound(std::ranges::max_element(bound) - bound.begin());
  model.bound = bound_text(most == Bound::kInstructions ? Bound::kArithmetic : most);
  return model;
}

}  // namespace

Busy busy_of(LaunchNest const& nest, Traffic const& traffic, Rates const& rates) {
  double warps = std::ceil(double(nest.threads()) / kWarp);
  Instructions const& all = nest.instructions;
  auto cycles = [&](double count, double lanes) { return count * warps * kWarp / lanes; };
  Busy busy;
  busy.f32 = std::max(cycles(all.f32, rates.f32_lanes), matrix_cycles(all, rates) * warps);
  busy.others = std::max(
      {cycles(all.f64, rates.f64_lanes), cycles(all.integers, rates.integer_lanes),
       cycles(all.special, rates.special_lanes), cycles(all.shuffles, rates.shuffle_lanes)});
  busy.issue = all.all() * warps / rates.issues;
  busy.shared = traffic.shared_cycles + traffic.l1_cycles;
  busy.l2 = traffic.l2_bytes / double(nest.blocks()) / rates.l2_port;
  return busy;
}

Caches caches_of(LaunchNest const& nest, Occupancy const& occupancy, Rates const& rates) {
  int64_t blocks = std::clamp<int64_t>((nest.blocks() + rates.units - 1) / rates.units, 1,
                                       std::max(1, occupancy.blocks));
  int64_t left = rates.l1_bytes - blocks * nest.shared_bytes;
  return {.l1_bytes = std::max<int64_t>(0, left) / blocks,
          .l2_bytes = rates.l2_bytes,
          .wave_blocks = int64_t(rates.units) * std::max(1, occupancy.blocks)};
}

double from_dram(Traffic const& traffic, bool stays) {
  return traffic.l2_bytes > 0 && !stays ? std::min(1.0, traffic.dram_bytes / traffic.l2_bytes) : 0;
}

double latency_behind_l1(Traffic const& traffic, Rates const& rates, bool stays) {
  return rates.l2_latency + from_dram(traffic, stays) * (rates.dram_latency - rates.l2_latency);
}

std::string bound_text(Bound bound) {
  constexpr char const* kTexts[kBounds] = {"arithmetic", "instructions", "shared",
                                           "L2",         "DRAM",         "latency"};
  return kTexts[size_t(bound)];
}

LaunchTime launch_time(LaunchNest nest, Multiprocessor const& unit, Rates const& rates,
                       double data_bytes) {
  LaunchTime time{.nest = std::move(nest)};
  // ptxas keeps to what lets a block run.
  int64_t most = unit.registers / std::clamp<int64_t>(time.nest.threads(), 1, unit.registers);
  time.nest.registers =
      int(std::min<int64_t>(time.nest.registers, std::max<int64_t>(8, most / 8 * 8)));
  time.occupancy =
      occupancy(unit, {.registers = time.nest.registers,
                       .shared_bytes = time.nest.shared_bytes,
                       .threads = int(std::min<int64_t>(time.nest.threads(), INT32_MAX))});
  time.traffic = traffic_of(time.nest, caches_of(time.nest, time.occupancy, rates));
  time.stays_in_l2 = stays_in_l2(rates, std::max(data_bytes, time.traffic.touched_bytes));
  Timing(time, rates).run();
  return time;
}

double data_bytes_of(ir::Function const& host) {
  ir::Substitution const greatest = greatest_sizes(host);
  double bytes = 0;
  for (ir::Buffer const& buffer : host.params) {
    auto count = ir::as_int(arith::simplify(ir::substitute(buffer->shape[0], greatest)));
    bytes += double(count.value_or(0)) * double(size_of(buffer->type));
  }
  return bytes;
}

std::optional<ProgramTime> program_time(ir::Function const& host, Multiprocessor const& unit,
                                        Rates const& rates) {
  ir::Substitution const greatest = greatest_sizes(host);
  double data_bytes = data_bytes_of(host);
  std::vector<ir::Stmt> nests;
  each_nest(greatest.empty() ? host.body : arith::simplify(ir::substitute(host.body, greatest)),
            nests);
  ProgramTime program;
  for (ir::Stmt const& one : nests) {
    auto nest = launch_nest(one);
    if (!nest) return std::nullopt;
    program.launches.push_back(launch_time(*std::move(nest), unit, rates, data_bytes));
  }
  program.model = model_of(program.launches, rates, data_bytes);
  return program;
}

}  // namespace tw::gpu
