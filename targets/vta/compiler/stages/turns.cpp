#include "targets/vta/compiler/stages/turns.h"

#include <algorithm>
#include <iterator>

namespace tw::vta {
namespace {

bool alike(Course const& a, Course const& b) {
  if (a.is_loop() != b.is_loop()) return false;
  if (a.is_loop()) return a.iterations.size() == b.iterations.size();
  return a.module == b.module;
}

bool all_alike(std::vector<Courses> const& threads) {
  for (Courses const& one : threads)
    if (!std::ranges::equal(one, threads[0], alike)) return false;
  return true;
}

void append(Courses& to, Courses from) { std::ranges::move(from, std::back_inserter(to)); }

/// The loop at `k` of every thread, gone through together.
Course together(std::vector<Courses>& threads, size_t k) {
  Course result;
  for (size_t i = 0; i < threads[0][k].iterations.size(); ++i) {
    std::vector<Courses> bodies;
    for (Courses& one : threads) bodies.push_back(std::move(one[k].iterations[i]));
    result.iterations.push_back(in_turns(std::move(bodies)));
  }
  return result;
}

void append_calls(Courses const& courses, std::vector<uint32_t>& order) {
  for (Course const& course : courses) {
    for (uint32_t i = 0; i < course.count; ++i) order.push_back(course.first + i);
    for (Courses const& body : course.iterations) append_calls(body, order);
  }
}

}  // namespace

Courses in_turns(std::vector<Courses> threads) {
  Courses result;
  if (!all_alike(threads)) {
    for (Courses& one : threads) append(result, std::move(one));
    return result;
  }
  for (size_t k = 0; k < threads[0].size();) {
    if (threads[0][k].is_loop()) {
      result.push_back(together(threads, k++));
      continue;
    }
    size_t end = k;
    while (end < threads[0].size() && !threads[0][end].is_loop() &&
           threads[0][end].module == threads[0][k].module)
      ++end;
    for (Courses& one : threads)
      for (size_t i = k; i < end; ++i) result.push_back(std::move(one[i]));
    k = end;
  }
  return result;
}

std::vector<uint32_t> flattened(Courses const& courses) {
  std::vector<uint32_t> order;
  append_calls(courses, order);
  return order;
}

}  // namespace tw::vta
