#include "targets/shared/gpu/footprint.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr int64_t kMost = int64_t(1) << 40;  // products beyond are as good as this

int64_t bounded_product(int64_t a, int64_t b) {
  return a > kMost / std::max<int64_t>(b, 1) ? kMost : a * b;
}

std::set<std::string> variables_in(Expr const& e) {
  std::set<std::string> names;
  walk(e, [&](Expr const& one) {
    if (auto const* used = one.as<Variable>()) names.insert(used->name);
    return true;
  });
  return names;
}

int64_t extent_of(std::string const& name, Running const& running) {
  auto found = running.find(name);
  return found == running.end() ? 1 : found->second;
}

/// Choices of all counters together.
int64_t choices(std::set<std::string> const& names, Running const& running) {
  int64_t all = 1;
  for (std::string const& name : names) all = bounded_product(all, extent_of(name, running));
  return all;
}

/// The greatest value less the least one, at most.
int64_t span_of(Expr const& e, Running const& running) {
  if (auto const* counter = e.as<Variable>()) return extent_of(counter->name, running) - 1;
  if (auto const* node = e.as<Binary>()) {
    auto by = as_int(node->b);
    int64_t first = span_of(node->a, running);
    if (node->op == BinaryOp::kAdd || node->op == BinaryOp::kSub)
      return first + span_of(node->b, running);
    if (by && node->op == BinaryOp::kMul) return bounded_product(first, std::abs(*by));
    if (by && *by > 0 && node->op == BinaryOp::kFloorDiv) return first / *by;
    if (by && *by > 0 && node->op == BinaryOp::kFloorMod) return std::min(first, *by - 1);
  }
  return choices(variables_in(e), running) - 1;
}

/// `count` places, `step` elements apart.
struct Steps {
  int64_t step = 1, count = 1;
};

/// The places that sums of one step each reach, as runs of runs: of the last the places are
/// farthest apart.
std::vector<Steps> runs_of(std::vector<Steps> steps) {
  std::ranges::sort(steps, {}, &Steps::step);
  std::vector<Steps> runs;
  for (Steps const& one : steps) {
    bool beside = !runs.empty() && one.step % runs.back().step == 0 &&
                  one.step / runs.back().step <= runs.back().count;
    if (beside)
      runs.back().count += one.step / runs.back().step * (one.count - 1);
    else
      runs.push_back(one);
  }
  return runs;
}

double sectors(double bytes) { return double((int64_t(bytes) + kSectorBytes - 1) / kSectorBytes); }

/// Of a run of so many bytes that begins at multiples of `step` bytes, the average.
double sectors_of_run(double bytes, int64_t step) {
  double off = double(kSectorBytes - std::gcd(step, kSectorBytes));
  return off > 0 ? (bytes + off) / double(kSectorBytes) : sectors(bytes);
}

}  // namespace

IndexReach::IndexReach(Expr const& index, int element_bytes, int64_t tensor_bytes)
    : element_bytes_(element_bytes), tensor_bytes_(tensor_bytes) {
  for (arith::Linear::Term const& term : arith::to_linear(index).terms)
    terms_.push_back({term.term, std::abs(term.factor)});
  for (std::string const& name : variables_in(index)) variables_.push_back(name);
}

double IndexReach::bytes(Running const& running) const {
  std::vector<Steps> steps;
  double span = 1;
  for (Term const& term : terms_) {
    int64_t wide = span_of(term.value, running);
    int64_t count = std::min(wide + 1, choices(variables_in(term.value), running));
    if (count > 1) steps.push_back({term.factor, count});
    span += double(wide) * double(term.factor);
  }
  std::vector<Steps> runs = runs_of(std::move(steps));
  double held = 1;
  int64_t between = 0;  // what all outer steps are multiples of
  for (size_t i = 1; i < runs.size(); ++i)
    between = std::gcd(between, runs[i].step * element_bytes_);
  for (size_t i = 0; i < runs.size(); ++i) {
    bool dense = i == 0 && runs[0].step * element_bytes_ < kSectorBytes;
    double all = double((runs[i].count - 1) * runs[i].step + 1) * element_bytes_;
    held *= dense ? sectors_of_run(all, between) : double(runs[i].count);
  }
  double all_choices = 1;
  for (std::string const& name : variables_) all_choices *= double(extent_of(name, running));
  double most = std::min(sectors(span * element_bytes_), all_choices);
  if (tensor_bytes_ > 0) most = std::min(most, sectors(double(tensor_bytes_)));
  return std::min(held, std::max(most, 1.0)) * double(kSectorBytes);
}

}  // namespace tw::gpu
