// Steps that own bodies: which runs, how often, and what goes from round to round.
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
    move((block * rows + place) * bytes, block * bytes, bytes);
}

std::unexpected<Error> wrong_loop(Step const& step, char const* code, std::string const& what) {
  return refused(code, "the loop that computes '" + step.makes + "' " + what);
}

std::unexpected<Error> body_refused(Step const& step, Body const& body) {
  return refused("body_refused", "the branch that computes '" + step.makes +
                                     "' for these inputs cannot be run: " + body.refuses);
}

template <typename T>
T value_at(PlaceOf const& at, Buffer const& buffer) {
  T value;
  at.processor->read(std::as_writable_bytes(std::span(&value, 1)), at.memory.address(buffer));
  return value;
}

bool holds(PlaceOf const& at, Buffer const& condition) {
  return condition.region == Region::kNothing || value_at<uint8_t>(at, condition) != 0;
}

void copy(PlaceOf const& at, std::vector<Copy> const& copies) {
  for (Copy const& one : copies)
    at.processor->copy(at.memory.address(one.to), at.memory.address(one.from), one.to.bytes);
}

void take(PlaceOf const& at, Row const& row, int64_t round) {
  MemoryPlace to = at.memory.address(row.row), from = at.memory.address(row.all);
  for_each_block(row, round, [&](int64_t all, int64_t one, int64_t bytes) {
    at.processor->copy(to + one, from + all, bytes);
  });
}

void give(PlaceOf const& at, Row const& row, int64_t round) {
  MemoryPlace to = at.memory.address(row.all), from = at.memory.address(row.row);
  for_each_block(row, round, [&](int64_t all, int64_t one, int64_t bytes) {
    at.processor->copy(to + all, from + one, bytes);
  });
}

}  // namespace

Status BoundSteps::run_if(Call const& call, CallKernel const& call_kernel) const {
  return run_body(call, holds(place_of(call), call.step->condition) ? 0 : 1, call_kernel);
}

Status BoundSteps::run_body(Call const& call, size_t which, CallKernel const& call_kernel) const {
  Body const& body = call.step->bodies[which];
  if (!body.refuses.empty()) return body_refused(*call.step, body);
  TRY(run_all(call.bodies[which], call_kernel));
  copy(place_of(call), body.copies);
  return {};
}

/// One time through the body: whether another follows.
Result<bool> BoundSteps::run_round(Call const& call, int64_t round,
                                   CallKernel const& call_kernel) const {
  Loop const& loop = call.step->loop;
  PlaceOf const& at = place_of(call);
  for (auto const* rows : {&loop.taken, &loop.given})
    for (Row const& row : *rows)
      if (round >= rows_of(row))
        return wrong_loop(*call.step, "rows_missing",
                          "has an iteration " + std::to_string(round) + ", but only " +
                              std::to_string(rows_of(row)) + " rows");
  if (loop.number.region != Region::kNothing)
    at.processor->write(at.memory.address(loop.number), std::as_bytes(std::span(&round, 1)));
  for (Row const& row : loop.taken) take(at, row, round);
  Body const& body = call.step->bodies[0];
  if (!body.refuses.empty()) return body_refused(*call.step, body);
  TRY(run_all(call.bodies[0], call_kernel));
  bool goes_on = holds(at, loop.next);  // before a copy goes over it
  for (Row const& row : loop.given) give(at, row, round);
  copy(at, body.copies);
  return goes_on;
}

Status BoundSteps::run_loop(Call const& call, CallKernel const& call_kernel) const {
  Loop const& loop = call.step->loop;
  PlaceOf const& at = place_of(call);
  int64_t most = kMostRounds + 1, round = 0;
  if (loop.most.region != Region::kNothing) most = value_at<int64_t>(at, loop.most);
  copy(at, loop.begin);
  for (bool goes_on = holds(at, call.step->condition); goes_on && round < most; ++round) {
    if (round == kMostRounds)
      return wrong_loop(*call.step, "loop_too_long",
                        "has not ended after " + std::to_string(round) + " iterations");
    TRY_ASSIGN(goes_on, run_round(call, round, call_kernel));
  }
  for (Row const& row : loop.given)
    if (round < rows_of(row))
      return wrong_loop(*call.step, "rows_missing",
                        "ends after " + std::to_string(round) + " of " +
                            std::to_string(rows_of(row)) + " iterations");
  copy(at, loop.end);
  return {};
}

}  // namespace tw::package
