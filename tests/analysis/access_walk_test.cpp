// The accesses of random schedules, in their order, against a run with values.
#include "engine/analysis/access_walk.h"

#include <QtTest>

#include "engine/schedule/trace.h"
#include "tests/support/access_trace.h"
#include "tests/support/random_schedules.h"

using namespace tw;
using namespace tw::analysis;

namespace {

using Element = std::pair<std::string, int64_t>;
struct Seen {
  std::vector<Element> written;  // by bodies, in order
  std::map<Element, int> reads;  // without those of the tensor that an instance writes
};

int64_t flat(ir::BufferNode const& buffer, std::vector<int64_t> const& index) {
  int64_t element = 0;
  Shape shape = ir::constant_shape(buffer).value();
  for (size_t d = 0; d < index.size(); ++d) element = element * shape[d] + index[d];
  return element;
}

Seen walked(ir::Program const& program, int64_t from = 0) {
  AccessWalk walk(program);
  Seen seen;
  walk.run(from, [&](WalkedInstance const& at) {
    if (at.accesses.empty() || !at.accesses.back().writes)
      qFatal("an instance that writes nothing");
    WalkedAccess const& last = at.accesses.back();
    auto name = [&](WalkedAccess const& one) {
      return Element{walk.tensors()[size_t(one.tensor)]->name, one.element};
    };
    seen.written.push_back(name(last));
    for (WalkedAccess const& one : at.accesses)
      if (!one.writes && one.tensor != last.tensor) ++seen.reads[name(one)];
    return true;
  });
  return seen;
}

Seen traced(ir::Program const& program, std::vector<NDArray> const& inputs) {
  std::map<std::string, ir::Buffer> buffers;
  AccessWalk walk(program);
  for (ir::Buffer const& one : walk.tensors()) buffers[one->name] = one;
  std::map<int64_t, Element> written;
  testing::AccessTrace trace = testing::AccessTracer::run(program, inputs);
  std::map<ir::BlockId, std::string> writes;
  for (auto const& [element, accesses] : trace)
    for (testing::TracedAccess const& access : accesses)
      if (access.kind != testing::AccessKind::kRead) writes[access.block] = element.tensor;
  Seen seen;
  for (auto const& [element, accesses] : trace) {
    Element place{element.tensor, flat(*buffers.at(element.tensor), element.index)};
    for (testing::TracedAccess const& access : accesses)
      if (access.kind != testing::AccessKind::kRead)
        written[access.time] = place;
      else if (writes[access.block] != element.tensor)
        ++seen.reads[place];
  }
  for (auto const& [time, place] : written) seen.written.push_back(place);
  return seen;
}

bool is_followed(ir::Program const& program) {
  bool followed = true;
  ir::walk(program.body, [&](ir::Stmt const& s) {
    bool simple = s->kind == ir::StmtKind::kFor || s->kind == ir::StmtKind::kAlloc ||
                  s->kind == ir::StmtKind::kSeq || s->kind == ir::StmtKind::kBlock ||
                  s->kind == ir::StmtKind::kStore;
    followed = followed && simple;
    return followed;
  });
  return followed && AccessWalk(program).unknown().empty();
}

/// A side that data chooses: the walk takes both.
bool chooses_by_data(ir::Program const& program) {
  bool by_data = false;
  ir::walk_exprs(program.body, [&](ir::Expr const& e) {
    if (auto const* choice = e.as<ir::Select>())
      ir::walk(choice->condition, [&](ir::Expr const& one) {
        by_data = by_data || one.as<ir::Load>();
        return !by_data;
      });
    return true;
  });
  return by_data;
}

}  // namespace

class AccessWalkTest : public QObject {
  Q_OBJECT
private slots:
  void random_schedules_touch_what_a_run_touches() {
    Rng rng(20'261);
    int compared = 0, guarded = 0;
    for (int number = 0; number < 300; ++number) {
      auto kernel =
          testing::parsed_kernel(testing::test_kernel(number, testing::kernel_set(), rng));
      QVERIFY(kernel);
      Schedule schedule(te::to_program(*kernel).value());
      for (int tries = 0; tries < 20; ++tries)
        if (auto next =
                schedule.apply(testing::propose_step(schedule.program(), rng, schedule.target())))
          schedule = std::move(*next);
      ir::Program const& program = schedule.program();
      if (!is_followed(program)) continue;
      Seen run = traced(program, testing::random_inputs(*kernel, rng)), walk = walked(program);
      QByteArray what =
          ("seed 20261, kernel " + std::to_string(number) + "\n" + ir::to_text(program)).c_str();
      QVERIFY2(walk.written == run.written, what);
      if (!chooses_by_data(program)) QVERIFY2(walk.reads == run.reads, what);
      ++compared;
      guarded += AccessWalk(program).instances() > int64_t(walk.written.size());
    }
    qInfo("%d schedules compared, %d with guards", compared, guarded);
    QVERIFY(compared > 150 && guarded > 20);
  }

  void it_begins_anywhere() {
    Rng rng(5);
    for (int number = 0; number < 12; ++number) {
      auto kernel = testing::parsed_kernel(testing::small_kernels()[size_t(number)]);
      ir::Program program = te::to_program(*kernel).value();
      AccessWalk walk(program);
      std::vector<Element> all = walked(program).written;
      QCOMPARE(int64_t(all.size()), walk.instances());
      auto from = int64_t(rng.below(uint64_t(all.size())));
      std::vector<Element> rest = walked(program, from).written;
      QVERIFY(rest == std::vector<Element>(all.begin() + from, all.end()));
    }
  }

  void lanes_of_a_vector_are_told_apart() {
    auto kernel = testing::parsed_kernel(
        "kernel add(A: f32[4, 8]) -> C\n  C[i in 4, j in 8] = A[i, j] + 1.0\n");
    Schedule schedule(te::to_program(*kernel).value());
    auto steps = parse_script("vectorize(C.j)\n", "test", true).value();
    ir::Program program = replay(schedule, steps).value().program();
    int first = 0, all = 0;
    AccessWalk(program).run(0, [&](WalkedInstance const& at) {
      first += at.first_lane;
      ++all;
      return true;
    });
    QCOMPARE(all, 32);
    QCOMPARE(first, 4);
  }

  void an_index_that_is_data_is_said() {
    auto kernel = testing::parsed_kernel(
        "kernel gather(A: f32[9], I: i64[5]) -> C\n  C[i in 5] = A[I[i] % 9]\n");
    QVERIFY2(kernel, kernel ? "" : to_sentence(kernel.error()).c_str());
    AccessWalk walk(te::to_program(*kernel).value());
    QCOMPARE(walk.unknown(), std::vector<std::string>{"A"});
  }
};

QTEST_APPLESS_MAIN(AccessWalkTest)
#include "access_walk_test.moc"
