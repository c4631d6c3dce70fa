#include "engine/arith/integer_sets.h"

#include <isl/ctx.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

namespace tw {
namespace {

/// For one question, by isl's own counter. An operation takes 0.1 to 80 us, so this is no measure
/// of time.
constexpr unsigned long kMostOperations = 20'000;
/// For all questions of a check: of the asking thread's own time, so that what else the machine
/// does decides no answer.
constexpr std::chrono::nanoseconds kMostTime = std::chrono::milliseconds(25);
/// However little of it the thread had, somebody waits.
constexpr std::chrono::nanoseconds kMostWait = std::chrono::seconds(1);
/// Between looks at a thread that gets no time.
constexpr std::chrono::nanoseconds kLook = std::chrono::milliseconds(1);

template <auto free>
struct Freeing {
  template <typename T>
  void operator()(T* object) const {
    free(object);
  }
};
using Set = std::unique_ptr<isl_set, Freeing<isl_set_free>>;
using Point = std::unique_ptr<isl_point, Freeing<isl_point_free>>;
using Val = std::unique_ptr<isl_val, Freeing<isl_val_free>>;

/// What the processor did for a thread.
class ThreadTime {
public:
  /// Of the thread that makes it, from now on.
  ThreadTime() {
    if (pthread_getcpuclockid(pthread_self(), &clock_) != 0) clock_ = CLOCK_MONOTONIC;
    start_ = now();
  }
  std::chrono::nanoseconds passed() const { return now() - start_; }

private:
  std::chrono::nanoseconds now() const {
    timespec time{};
    clock_gettime(clock_, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  clockid_t clock_{};
  std::chrono::nanoseconds start_{};
};

/// Ends what a context computes once the time of the thread that made it is over.
class Watchdog {
public:
  explicit Watchdog(isl_ctx* context)
      : thread_([this, context](std::stop_token stop) {
          std::unique_lock lock(mutex_);
          for (auto left = time_left(); left.count() > 0; left = time_left())
            if (wake_.wait_for(lock, stop, std::max(left, kLook),
                               [&] { return stop.stop_requested(); }))
              return;
          isl_ctx_abort(context);
        }) {}

private:
  std::chrono::nanoseconds time_left() const {
    auto waited = std::chrono::steady_clock::now() - start_;
    return std::min(kMostTime - time_.passed(), kMostWait - waited);
  }

  ThreadTime time_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

/// Variables with the conditions on them that no other variable shares.
struct Component {
  std::vector<int> variables;
  std::vector<LinearRow const*> zero, not_negative;
};

std::vector<Component> components_of(IntegerSystem const& system) {
  std::vector<int> leader(system.variables.size());
  std::iota(leader.begin(), leader.end(), 0);
  auto find = [&](int v) {
    while (leader[size_t(v)] != v) v = leader[size_t(v)];
    return v;
  };
  for (auto const* rows : {&system.zero, &system.not_negative})
    for (LinearRow const& row : *rows)
      for (auto const& [variable, factor] : row.terms) {
        int a = find(variable), b = find(row.terms.front().first);
        leader[size_t(std::max(a, b))] = std::min(a, b);
      }
  std::vector<Component> components;
  std::vector<size_t> place(system.variables.size());
  for (int v = 0; v < int(leader.size()); ++v) {
    if (find(v) == v) {
      place[size_t(v)] = components.size();
      components.emplace_back();
    }
    components[place[size_t(find(v))]].variables.push_back(v);
  }
  auto home = [&](LinearRow const& row) -> Component& {
    return components[place[size_t(find(row.terms.front().first))]];
  };
  for (LinearRow const& row : system.zero)
    if (!row.terms.empty()) home(row).zero.push_back(&row);
  for (LinearRow const& row : system.not_negative)
    if (!row.terms.empty()) home(row).not_negative.push_back(&row);
  return components;
}

bool constants_hold(IntegerSystem const& system) {
  auto zero = [](LinearRow const& row) { return !row.terms.empty() || row.constant == 0; };
  auto not_negative = [](LinearRow const& row) { return !row.terms.empty() || row.constant >= 0; };
  return std::ranges::all_of(system.zero, zero) &&
         std::ranges::all_of(system.not_negative, not_negative);
}

isl_mat* with_row(isl_mat* matrix, int at, std::vector<int64_t> const& numbers) {
  isl_ctx* context = isl_mat_get_ctx(matrix);
  for (size_t i = 0; i < numbers.size(); ++i)
    matrix = isl_mat_set_element_val(matrix, at, int(i), isl_val_int_from_si(context, numbers[i]));
  return matrix;
}

/// Columns: the constant, then the component's variables.
std::vector<int64_t> numbers_of(LinearRow const& row, Component const& component) {
  std::vector<int64_t> numbers(component.variables.size() + 1);
  numbers[0] = row.constant;
  for (auto const& [variable, factor] : row.terms) {
    auto at = std::ranges::lower_bound(component.variables, variable);
    numbers[size_t(at - component.variables.begin()) + 1] += factor;
  }
  return numbers;
}

isl_basic_set* set_of(isl_ctx* context, IntegerSystem const& system, Component const& component) {
  auto count = unsigned(component.variables.size());
  isl_mat* equal = isl_mat_alloc(context, unsigned(component.zero.size()), count + 1);
  isl_mat* least =
      isl_mat_alloc(context, unsigned(component.not_negative.size()) + 2 * count, count + 1);
  for (size_t r = 0; r < component.zero.size(); ++r)
    equal = with_row(equal, int(r), numbers_of(*component.zero[r], component));
  int row = 0;
  for (LinearRow const* condition : component.not_negative)
    least = with_row(least, row++, numbers_of(*condition, component));
  for (int variable : component.variables) {
    auto [low, high] = system.variables[size_t(variable)];
    least = with_row(least, row++, numbers_of({{{variable, 1}}, -low}, component));
    least = with_row(least, row++, numbers_of({{{variable, -1}}, high}, component));
  }
  return isl_basic_set_from_constraint_matrices(isl_space_set_alloc(context, 0, count), equal,
                                                least, isl_dim_cst, isl_dim_param, isl_dim_set,
                                                isl_dim_div);
}

/// All variables as one component.
Component whole_of(IntegerSystem const& system) {
  Component all;
  all.variables.resize(system.variables.size());
  std::iota(all.variables.begin(), all.variables.end(), 0);
  for (LinearRow const& row : system.zero) all.zero.push_back(&row);
  for (LinearRow const& row : system.not_negative) all.not_negative.push_back(&row);
  return all;
}

/// The values of the first `kept` variables for which the others have some.
isl_set* projection_of(isl_ctx* context, IntegerSystem const& system, int kept) {
  isl_basic_set* set = set_of(context, system, whole_of(system));
  set = isl_basic_set_project_out(set, isl_dim_set, unsigned(kept),
                                  unsigned(system.variables.size()) - unsigned(kept));
  return isl_set_from_basic_set(set);
}

}  // namespace

void LinearRow::add(LinearRow const& other, int64_t factor) {
  for (auto const& [variable, number] : other.terms) terms.push_back({variable, number * factor});
  constant += other.constant * factor;
}

int IntegerSystem::variable(int64_t low, int64_t high) {
  variables.push_back({low, high});
  return int(variables.size()) - 1;
}

struct IntegerSets::Context {
  std::unique_ptr<isl_ctx, Freeing<isl_ctx_free>> isl{isl_ctx_alloc()};
  std::optional<Watchdog> watchdog;  // goes before what it watches
};

IntegerSets::IntegerSets(ProofBudget budget) : context_(std::make_unique<Context>()) {
  isl_ctx* isl = context_->isl.get();
  // Instead of messages on stderr: results are null then.
  isl_options_set_on_error(isl, ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(isl, kMostOperations);
  if (budget == ProofBudget::kInteractive) context_->watchdog.emplace(isl);
}

IntegerSets::~IntegerSets() = default;

Solution IntegerSets::solve(IntegerSystem const& system) {
  ++questions_;
  if (over_) return {Solvable::kOutOfTime, {}};
  isl_ctx_reset_operations(context_->isl.get());
  Solution solution = search(system);
  over_ = solution.solvable == Solvable::kOutOfTime;
  return solution;
}

Solution IntegerSets::outside(IntegerSystem const& need, std::vector<IntegerSystem> const& covers,
                              int kept) {
  ++questions_;
  if (over_) return {Solvable::kOutOfTime, {}};
  isl_ctx_reset_operations(context_->isl.get());
  Solution solution = search_outside(need, covers, kept);
  over_ = solution.solvable == Solvable::kOutOfTime;
  return solution;
}

Solution IntegerSets::search_outside(IntegerSystem const& need,
                                     std::vector<IntegerSystem> const& covers, int kept) {
  isl_ctx* isl = context_->isl.get();
  if (!constants_hold(need)) return {Solvable::kNo, {}};
  isl_set* rest = projection_of(isl, need, kept);
  for (IntegerSystem const& cover : covers)
    if (constants_hold(cover)) rest = isl_set_subtract(rest, projection_of(isl, cover, kept));
  Set left(rest);
  isl_bool empty = left ? isl_set_is_empty(left.get()) : isl_bool_error;
  if (empty == isl_bool_true) return {Solvable::kNo, {}};
  Point point(empty == isl_bool_false ? isl_set_sample_point(left.release()) : nullptr);
  if (!point) return {Solvable::kOutOfTime, {}};
  Solution solution{Solvable::kYes, {}};
  for (int i = 0; i < kept; ++i) {
    Val value(isl_point_get_coordinate_val(point.get(), isl_dim_set, i));
    if (!value) return {Solvable::kOutOfTime, {}};
    solution.values.push_back(isl_val_get_num_si(value.get()));
  }
  return solution;
}

Solution IntegerSets::search(IntegerSystem const& system) {
  Solution solution{Solvable::kNo, {}};
  if (!constants_hold(system)) return solution;
  std::vector<int64_t> values(system.variables.size());
  for (Component const& component : components_of(system)) {
    if (component.zero.empty() && component.not_negative.empty()) {
      auto [low, high] = system.variables[size_t(component.variables.front())];
      if (low > high) return solution;
      values[size_t(component.variables.front())] = low;
      continue;
    }
    Set least(isl_basic_set_lexmin(set_of(context_->isl.get(), system, component)));
    // An answer that was cut short is -1, so both others are asked for by name.
    isl_bool empty = least ? isl_set_is_empty(least.get()) : isl_bool_error;
    if (empty == isl_bool_true) return solution;
    Point point(empty == isl_bool_false ? isl_set_sample_point(least.release()) : nullptr);
    if (!point) return {Solvable::kOutOfTime, {}};
    for (size_t i = 0; i < component.variables.size(); ++i) {
      Val value(isl_point_get_coordinate_val(point.get(), isl_dim_set, int(i)));
      if (!value) return {Solvable::kOutOfTime, {}};
      values[size_t(component.variables[i])] = isl_val_get_num_si(value.get());
    }
  }
  return {Solvable::kYes, std::move(values)};
}

}  // namespace tw
