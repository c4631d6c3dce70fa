#include "engine/analysis/kernel_roof.h"

#include <algorithm>
#include <map>

#include "engine/analysis/counted_operations.h"
#include "engine/analysis/touched.h"
#include "engine/ir/stmt.h"

namespace tw::analysis {
namespace {

/// Every access of the program with all its loops running.
struct Run {
  TensorAccess access;
  Iterations iterations;
};

std::vector<Run> runs_of(ir::Program const& program) {
  std::vector<Run> runs;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    Iterations iterations;
    for (ir::For const* loop : site.loops)
      iterations.running[loop->name()] = ir::as_int(loop->extent).value_or(1);
    for (TensorAccess& access : accesses_of(site)) runs.push_back({std::move(access), iterations});
  }
  return runs;
}

double touched_bytes(std::vector<Run> const& runs, ir::Buffer const& buffer, bool writes) {
  std::vector<RunningAccess> accesses;
  for (Run const& run : runs)
    if (run.access.buffer->name == buffer->name && run.access.writes == writes)
      accesses.push_back({&run.access, run.iterations});
  return double(touched(accesses, MemoryLevel{}.line_bytes).bytes);
}

/// Of the cores used; one core may be faster than its share of all.
double of_cores(Rate const& rate, int threads, int cores) {
  if (threads <= 1) return rate.one_core;
  double all = std::max(rate.all_cores, rate.one_core);
  return threads >= cores ? all : std::min(all, rate.one_core * threads);
}

/// Bytes that the caches of this level hold for these cores together.
double held(MemoryLevel const& cache, int threads, int cores) {
  int shared_by = std::max(1, cache.shared_by);
  int used = std::clamp(threads, 1, std::max(1, cores));
  return double(cache.bytes) * double((used + shared_by - 1) / shared_by);
}

/// Reads and writes have ways of their own as far as two reads to one write have shown it.
double seconds_at(MemoryRoof const& roof, double read, double written, int threads, int cores) {
  double load = of_cores(roof.load, threads, cores), triad = of_cores(roof.triad, threads, cores);
  if (load <= 0) return 0;
  double together = triad > 0 ? std::min(3 * written, read + written) / triad : 0;
  return std::max({read / load, written / load, together}) * 1e-9;
}

/// A unit for narrow factors, as of matrices, is what could do these products at best.
std::string type_of(KernelNeeds const& needs, Roofs const& roofs) {
  if (needs.integers) return "i8";
  bool own_roof = !needs.factors.empty() && roofs.best(needs.factors) != Rate();
  return own_roof ? needs.factors : counted_type(roofs);
}

}  // namespace

KernelNeeds needs_of(ir::Program const& plain, double flops) {
  KernelNeeds needs{.flops = flops};
  std::vector<Run> runs = runs_of(plain);
  for (ir::Buffer const& buffer : plain.inputs) needs.read += touched_bytes(runs, buffer, false);
  for (ir::Buffer const& buffer : plain.outputs) needs.written += touched_bytes(runs, buffer, true);
  return needs;
}

KernelRoof roof_of(KernelNeeds const& needs, Hardware const& hardware, Roofs const& roofs,
                   int threads) {
  KernelRoof roof;
  int cores = hardware.unit().count;
  roof.gflops = of_cores(roofs.best(type_of(needs, roofs)), threads, cores);
  double arithmetic = roof.gflops > 0 ? needs.flops / roof.gflops * 1e-9 : 0;
  double moving = 0, nearer = 0, bytes = needs.bytes();
  for (size_t i = 0; i < roofs.memory.size() && nearer < bytes; ++i) {
    bool last = i + 1 == roofs.memory.size();
    MemoryLevel const* level = hardware.memory(roofs.memory[i].name);
    if (!last && (!level || !level->cache)) continue;  // a way to what lies behind it
    double here = bytes;
    if (!last) here = std::min(bytes, held(*level, threads, cores));
    double share = std::max(0.0, here - nearer) / bytes;
    moving +=
        seconds_at(roofs.memory[i], needs.read * share, needs.written * share, threads, cores);
    roof.level = roofs.memory[i].name;
    nearer = std::max(nearer, here);
  }
  roof.gbytes = moving > 0 ? bytes / moving * 1e-9 : 0;
  roof.arithmetic = arithmetic >= moving;
  roof.seconds = std::max(arithmetic, moving);
  return roof;
}

}  // namespace tw::analysis
