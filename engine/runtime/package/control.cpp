// Steps that own bodies: which runs, how often, and what goes from round to round.
#include <cstring>

#include "engine/runtime/package/bound_steps.h"

namespace tw::package {
namespace {

constexpr int64_t kMostRounds = 1 << 20;  // a condition may never become false

int64_t rows_of(Row const& row) { return row.all.bytes / row.row.bytes; }

/// Row `round` of the whole, block by block: `move` gets the whole's place, the row's and bytes.
template <typename Move>
void for_each_block(Row const& row, int64_t round, Move move) {
  int64_t rows = rows_of(row), bytes = row.row.bytes / row.outer;
  int64_t place = row.backward ? rows - 1 - round : round;
  for (int64_t block = 0; block < row.outer; ++block)
    move((block * rows + place) * bytes, block * bytes, size_t(bytes));
}

}  // namespace

bool BoundSteps::holds(Buffer const& condition) const {
  return condition.region == Region::kNothing ||
         *static_cast<unsigned char const*>(memory_.address(condition)) != 0;
}

void BoundSteps::copy(std::vector<Copy> const& copies) const {
  for (Copy const& one : copies)
    std::memmove(memory_.address(one.to), memory_.address(one.from), size_t(one.to.bytes));
}

Status BoundSteps::run_body(Call const& call, size_t which, CallKernel const& call_kernel) const {
  Body const& body = call.step->bodies[which];
  if (!body.refuses.empty())
    return refused("body_refused", "the way to '" + call.step->makes +
                                       "' that these inputs choose cannot be run: " + body.refuses);
  TRY(run_all(call.bodies[which], call_kernel));
  copy(body.copies);
  return {};
}

Status BoundSteps::run_loop(Call const& call, CallKernel const& call_kernel) const {
  Loop const& loop = call.step->loop;
  auto wrong = [&](char const* code, std::string const& what) {
    return refused(code, "the loop that makes '" + call.step->makes + "' " + what);
  };
  int64_t most = kMostRounds + 1, round = 0;
  if (loop.most.region != Region::kNothing)
    std::memcpy(&most, memory_.address(loop.most), sizeof most);
  copy(loop.begin);
  for (bool goes_on = holds(call.step->condition); goes_on && round < most; ++round) {
    if (round == kMostRounds)
      return wrong("loop_too_long", "has no end after " + std::to_string(round) + " rounds");
    for (auto const* rows : {&loop.taken, &loop.given})
      for (Row const& row : *rows)
        if (round >= rows_of(row))
          return wrong("rows_missing", "has a round " + std::to_string(round) + ", but only " +
                                           std::to_string(rows_of(row)) + " rows");
    if (loop.number.region != Region::kNothing)
      std::memcpy(memory_.address(loop.number), &round, sizeof round);
    for (Row const& row : loop.taken)
      for_each_block(row, round, [&](int64_t from, int64_t to, size_t bytes) {
        std::memcpy(static_cast<std::byte*>(memory_.address(row.row)) + to,
                    static_cast<std::byte const*>(memory_.address(row.all)) + from, bytes);
      });
    Body const& body = call.step->bodies[0];
    if (!body.refuses.empty()) return run_body(call, 0, call_kernel);
    TRY(run_all(call.bodies[0], call_kernel));
    goes_on = holds(loop.next);
    for (Row const& row : loop.given)
      for_each_block(row, round, [&](int64_t to, int64_t from, size_t bytes) {
        std::memcpy(static_cast<std::byte*>(memory_.address(row.all)) + to,
                    static_cast<std::byte const*>(memory_.address(row.row)) + from, bytes);
      });
    copy(body.copies);
  }
  for (Row const& row : loop.given)
    if (round < rows_of(row))
      return wrong("rows_missing", "ends after " + std::to_string(round) + " of " +
                                       std::to_string(rows_of(row)) + " rounds");
  copy(loop.end);
  return {};
}

}  // namespace tw::package
