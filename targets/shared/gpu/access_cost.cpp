// What one access of a warp costs, over all its warps and iterations.
#include "targets/shared/gpu/warp_accesses.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "engine/arith/linear.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/rewrite.h"
#include "engine/support/base/random.h"
#include "targets/shared/gpu/access_index.h"

namespace tw::gpu {

using namespace ir;

namespace {

/// Bytes that a lane gets from shared memory in one pass.
constexpr int kMostReturned = 8;
constexpr int64_t kSector = 32, kLine = 128, kBank = 4, kBanks = 32;
/// Values of variables that are tried together.
constexpr int64_t kMostValues = 1 << 18;
/// Warps that are looked at, in all iterations of loops that threads do not stand apart from.
constexpr int64_t kMostWarps = 1 << 13;
/// Where not all are looked at.
constexpr int64_t kDrawnValues = 1 << 10, kDrawnWarps = 1 << 8;
constexpr int64_t kMostTurns = int64_t(1) << 50;

/// How often a sum of terms has each residue.
using Histogram = std::vector<double>;

/// Of one access: which terms lanes tell apart, and which residues the others have.
class Counting {
public:
  Counting(std::vector<LoopAround> const& around, LaunchShape const& shape, int warp,
           int64_t modulus, Counted counted)
      : around_(around), shape_(shape), warp_(warp), modulus_(modulus), counted_(counted) {}

  /// The index of every lane of each warp, without what all lanes share, and what that is modulo
  /// `modulus`. Loops that stand in one division with threads are tried one iteration after the
  /// other. False: `why` says why it is not decided.
  bool run(Expr const& index) {
    arith::Linear linear = arith::to_linear(index);
    std::vector<arith::Linear::Term> lanes, common;
    std::set<std::string> tried;
    for (arith::Linear::Term const& term : linear.terms) {
      std::set<std::string> others;
      bool told = false;
      for (std::string const& name : variables_of(term.term)) {
        LoopAround const* loop = find(name);
        if (!loop || reads_tensor(term.term)) return why_ = "the index is data", false;
        told = told || loop->dimension >= 0;
        if (loop->dimension < 0) others.insert(name);
      }
      if (told) tried.merge(others);
      (told ? lanes : common).push_back(term);
    }
    // What comes to be tried takes other terms along.
    for (size_t at = 0; at < common.size();) {
      std::set<std::string> own = variables_of(common[at].term);
      bool together =
          std::ranges::any_of(own, [&](std::string const& name) { return tried.contains(name); });
      if (!together) {
        ++at;
        continue;
      }
      lanes.push_back(common[at]);
      common.erase(common.begin() + int64_t(at));
      size_t before = tried.size();
      tried.merge(own);
      if (tried.size() > before) at = 0;
    }
    return residues(common, linear.constant) && offsets(lanes, tried);
  }

  Histogram const& histogram() const { return histogram_; }
  std::vector<std::vector<int64_t>> const& warps() const { return warps_; }
  std::string const& why() const { return why_; }

private:
  LoopAround const* find(std::string const& name) const {
    auto found = std::ranges::find(around_, name, &LoopAround::name);
    return found == around_.end() ? nullptr : &*found;
  }
  int64_t residue(int64_t value) const { return (value % modulus_ + modulus_) % modulus_; }

  /// Terms that share a variable are tried together.
  static std::vector<std::vector<arith::Linear::Term>> groups_of(
      std::vector<arith::Linear::Term> terms) {
    std::vector<std::vector<arith::Linear::Term>> groups;
    while (!terms.empty()) {
      std::vector<arith::Linear::Term> group{terms.back()};
      terms.pop_back();
      std::set<std::string> names = variables_of(group[0].term);
      for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = 0; i < terms.size(); ++i) {
          std::set<std::string> own = variables_of(terms[i].term);
          if (std::ranges::none_of(own, [&](auto const& one) { return names.contains(one); }))
            continue;
          names.insert(own.begin(), own.end());
          group.push_back(terms[i]);
          terms.erase(terms.begin() + std::ptrdiff_t(i));
          grew = true;
          break;
        }
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }

  bool residues(std::vector<arith::Linear::Term> const& terms, int64_t constant) {
    histogram_.assign(size_t(modulus_), 0.0);
    histogram_[size_t(residue(constant))] = 1;
    for (auto const& group : groups_of(terms)) {
      Histogram own(size_t(modulus_), 0.0);
      auto add = [&](int64_t sum) { own[size_t(residue(sum))] += 1; };
      if (!add_counter(group, own) && !for_values(group, add)) return false;
      double all = 0;
      for (double one : own) all += one;
      Histogram next(size_t(modulus_), 0.0);
      for (int64_t a = 0; a < modulus_; ++a)
        for (int64_t b = 0; b < modulus_; ++b)
          next[size_t((a + b) % modulus_)] += histogram_[size_t(a)] * own[size_t(b)] / all;
      histogram_ = std::move(next);
    }
    return true;
  }

  /// Of loops around, those that are tried: all, or some that are drawn, the same ones each time.
  struct Turns {
    int64_t all, tried;
    Rng rng{20261129};
    int64_t at(int64_t n) { return all == tried ? n : rng.below(all); }
  };
  Turns turns_of(int64_t all, int64_t drawn) const {
    bool draws = counted_ == Counted::kDrawn && all > drawn;
    return {all, draws ? std::max<int64_t>(1, drawn) : all};
  }
  /// False: there are too many to try all.
  bool join(int64_t& count, int64_t extent, int64_t most) {
    count = count > kMostTurns / extent ? kMostTurns : count * extent;
    if (counted_ == Counted::kDrawn || count <= most) return true;
    why_ = "its loops have too many iterations";
    return false;
  }

  /// A counter by itself: its residues repeat after `modulus` values. False: it is none.
  bool add_counter(std::vector<arith::Linear::Term> const& group, Histogram& own) const {
    auto const* counter = group[0].term.as<Variable>();
    if (group.size() != 1 || !counter) return false;
    int64_t extent = find(counter->name)->extent;
    for (int64_t value = 0; value < std::min(extent, modulus_); ++value)
      own[size_t(residue(value * group[0].factor))] +=
          double((extent - value + modulus_ - 1) / modulus_);
    return true;
  }

  /// Calls `f` with the terms' sum for all values of their variables.
  template <typename F>
  bool for_values(std::vector<arith::Linear::Term> const& terms, F const& f) {
    ExprEvaluator evaluator;
    std::set<std::string> names;
    std::vector<Compiled> compiled;
    for (arith::Linear::Term const& term : terms) {
      names.merge(variables_of(term.term));
      compiled.push_back(evaluator.compile(term.term));
    }
    std::vector<std::pair<int, int64_t>> counters;
    int64_t count = 1;
    for (std::string const& name : names) {
      counters.push_back({evaluator.slot(name), find(name)->extent});
      if (!join(count, counters.back().second, kMostValues)) return false;
    }
    Turns turns = turns_of(count, kDrawnValues);
    for (int64_t n = 0; n < turns.tried; ++n) {
      int64_t rest = turns.at(n), sum = 0;
      for (auto const& [slot, extent] : counters) {
        evaluator.set(slot, rest % extent);
        rest /= extent;
      }
      for (size_t i = 0; i < terms.size(); ++i)
        sum += terms[i].factor * evaluator.integer(compiled[i], 0);
      f(sum);
    }
    return !evaluator.failed();
  }

  bool offsets(std::vector<arith::Linear::Term> const& terms, std::set<std::string> const& tried) {
    ExprEvaluator evaluator;
    std::vector<Compiled> compiled;
    for (arith::Linear::Term const& term : terms) compiled.push_back(evaluator.compile(term.term));
    std::vector<std::pair<int, int>> threads;  // slots with their dimensions
    std::vector<std::pair<int, int64_t>> counters;
    int64_t count = 1, warps = (shape_.threads() + warp_ - 1) / warp_;
    for (LoopAround const& loop : around_) {
      if (loop.dimension >= 0) threads.push_back({evaluator.slot(loop.name), loop.dimension});
      if (!tried.contains(loop.name)) continue;
      counters.push_back({evaluator.slot(loop.name), loop.extent});
      if (!join(count, loop.extent, kMostWarps / warps)) return false;
    }
    Turns turns = turns_of(count, kDrawnWarps / warps);
    for (int64_t n = 0; n < turns.tried; ++n) {
      int64_t rest = turns.at(n);
      for (auto const& [slot, extent] : counters) {
        evaluator.set(slot, rest % extent);
        rest /= extent;
      }
      add_warps(evaluator, threads, terms, compiled);
    }
    return !evaluator.failed();
  }

  void add_warps(ExprEvaluator& evaluator, std::vector<std::pair<int, int>> const& slots_of_threads,
                 std::vector<arith::Linear::Term> const& terms,
                 std::vector<Compiled> const& compiled) {
    int64_t threads = shape_.threads();
    for (int64_t first = 0; first < threads; first += warp_) {
      std::vector<int64_t> lanes;
      for (int64_t t = first; t < std::min(first + warp_, threads); ++t) {
        std::array<int64_t, 3> at{t % shape_.block[0], t / shape_.block[0] % shape_.block[1],
                                  t / shape_.block[0] / shape_.block[1]};
        for (auto const& [slot, dimension] : slots_of_threads)
          evaluator.set(slot, at[size_t(dimension)]);
        int64_t sum = 0;
        for (size_t i = 0; i < terms.size(); ++i)
          sum += terms[i].factor * evaluator.integer(compiled[i], 0);
        lanes.push_back(sum);
      }
      warps_.push_back(std::move(lanes));
    }
  }

  std::vector<LoopAround> const& around_;
  LaunchShape const& shape_;
  int warp_;
  int64_t modulus_;
  Counted counted_;
  Histogram histogram_;
  std::vector<std::vector<int64_t>> warps_;
  std::string why_ = "an index has no value";
};

int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// Aligned blocks of memory that hold what lanes touch.
int blocks_of(std::vector<int64_t> const& addresses, int bytes, int64_t block) {
  std::set<int64_t> blocks;
  for (int64_t address : addresses)
    for (int64_t at : {address, address + bytes - 1}) blocks.insert(floor_quotient(at, block));
  return int(blocks.size());
}

/// Whether each lane of a whole warp has a partner at the same address.
bool are_pairs(std::vector<int64_t> const& addresses) {
  if (int64_t(addresses.size()) != kBanks) return false;
  return std::ranges::any_of(std::array{1, 2}, [&](size_t apart) {
    for (size_t lane = 0; lane < addresses.size(); ++lane)
      if (addresses[lane] != addresses[lane ^ apart]) return false;
    return true;
  });
}

}  // namespace

int sectors_of(std::vector<int64_t> const& addresses, int bytes) {
  return blocks_of(addresses, bytes, kSector);
}

size_t lanes_of_pass(std::vector<int64_t> const& addresses, int bytes, bool store) {
  if (bytes <= kBank) return addresses.size();
  auto lanes = std::max<size_t>(1, size_t(kBanks * kBank / bytes));
  return !store && are_pairs(addresses) ? lanes * 2 : lanes;
}

int passes_of(std::vector<int64_t> const& addresses, int bytes, bool store) {
  size_t together = lanes_of_pass(addresses, bytes, store);
  int passes = 0;
  for (size_t first = 0; first < addresses.size(); first += together) {
    std::map<int64_t, std::set<int64_t>> words;  // by bank
    for (size_t i = first; i < std::min(first + together, addresses.size()); ++i)
      for (int64_t at = addresses[i]; at < addresses[i] + bytes; at += kBank) {
        int64_t word = floor_quotient(at, kBank);
        words[((word % kBanks) + kBanks) % kBanks].insert(word);
      }
    size_t most = 0;
    for (auto const& [bank, own] : words) most = std::max(most, own.size());
    passes += int(most);
  }
  return passes;
}

void count_access(WarpAccess& access, Expr const& index, int width,
                  std::vector<LoopAround> const& around, LaunchShape const& shape, int warp,
                  Counted counted) {
  int64_t modulus = std::max<int64_t>(1, (access.shared ? kBank : kSector) / access.bytes);
  Counting counting(around, shape, warp, modulus, counted);
  if (!counting.run(index)) {
    access.undecided = counting.why();
    return;
  }
  bool first = true;
  int taken = access.bytes * width;
  for (std::vector<int64_t> lanes : counting.warps()) {
    if (access.lanes > 0) lanes.resize(std::min(lanes.size(), size_t(access.lanes)));
    std::set<int64_t> different(lanes.begin(), lanes.end());
    int64_t bytes = int64_t(different.size()) * taken;
    int64_t unit = access.shared ? kBank * kBanks : kSector;
    access.ideal = std::max(access.ideal, int((bytes + unit - 1) / unit));
    if (access.shared && !access.store)
      access.ideal = std::max(access.ideal, taken / kMostReturned);
    for (int64_t r = 0; r < modulus; ++r) {
      double share = counting.histogram()[size_t(r)];
      if (share == 0) continue;
      std::vector<int64_t> addresses;
      for (int64_t lane : lanes) addresses.push_back((lane + r) * access.bytes);
      int cost =
          access.shared ? passes_of(addresses, taken, access.store) : sectors_of(addresses, taken);
      access.average += share * cost / double(counting.warps().size());
      if (!access.shared)
        access.lines +=
            share * blocks_of(addresses, taken, kLine) / double(counting.warps().size());
      access.least = first ? cost : std::min(access.least, cost);
      access.most = std::max(access.most, cost);
      first = false;
    }
  }
}

}  // namespace tw::gpu
