// Sizes that stay open: steps are decided for every value, and the program with a value is the one
// that a script with the number would have made.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/open_sizes.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

Schedule scheduled(std::string const& kernel, std::string const& steps) {
  te::Kernel parsed = testing::parsed_kernel(kernel).value();
  auto script = parse_script("tilewright schedule 1\n" + steps, "sizes").value();
  auto schedule = replay(Schedule(te::to_program(parsed).value()), script);
  if (!schedule) qFatal("%s", schedule.error().message.c_str());
  return std::move(*schedule);
}

constexpr char kRows[] = "kernel rows(X: f32[10, 6]) -> Y\n  Y[i in 10, j in 6] = X[i, j] * 2.0\n";

}  // namespace

class SizesTest : public QObject {
  Q_OBJECT
private slots:
  void the_program_shown_is_that_of_the_number() {
    Schedule open = scheduled(kRows, "o, i = split_by_size(Y.i, size=T, low=1, high=5, at=4)\n");
    Schedule fixed = scheduled(kRows, "o, i = split(Y.i, factor=4)\n");
    QCOMPARE(QString::fromStdString(ir::to_text(open.program())),
             QString::fromStdString(ir::to_text(fixed.program())));
    QVERIFY(open.sized());
    QCOMPARE(open.sized()->program.sizes.size(), size_t(1));
  }

  void a_program_with_sizes_prints_and_parses() {
    Schedule open = scheduled(kRows, "o, i = split_by_size(Y.i, size=T, low=1, high=5)\n");
    std::string text = ir::to_text(open.sized()->program);
    QVERIFY2(text.contains("size T in 1..5"), text.c_str());
    auto again = ir::parse_program(text);
    QVERIFY(again);
    QVERIFY(ir::equal(*again, open.sized()->program));
  }

  void a_script_with_sizes_is_replayed() {
    Schedule open = scheduled(kRows,
                              "o, i = split_by_size(Y.i, size=T, low=2, high=5)\n"
                              "reorder(Y.j, o, i)\nparallel(Y.j)\n");
    auto again = replay(Schedule(open.origin()), parse_script(open.script()).value());
    QVERIFY(again);
    QVERIFY(ir::equal(again->sized()->program, open.sized()->program));
    QVERIFY(ir::equal(again->program(), open.program()));
  }

  void two_sizes() {
    Schedule open = scheduled(kRows,
                              "o, i = split_by_size(Y.i, size=T, low=1, high=5)\n"
                              "p, j = split_by_size(Y.j, size=U, low=2, high=4, at=3)\n"
                              "reorder(o, p, i, j)\nop = fuse(o, p)\n");
    QCOMPARE(all_size_values(open.sized()->program).size(), size_t(15));
    QCOMPARE(open.sized()->shown, (std::vector<int64_t>{5, 3}));
  }

  /// Random steps after sizes were opened: for each value the program computes what the plain one
  /// does, by the interpreter, with the sizes open and with their values in place.
  void random_steps_after_a_size_compute_the_same() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261124;
    int traces = qEnvironmentVariableIntValue("TW_TRACES");
    if (traces <= 0) traces = 150;
    qInfo("seed %llu, %d traces", static_cast<unsigned long long>(seed), traces);
    Rng rng(seed);
    std::map<std::string, int> taken, refused;
    int programs = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::test_kernel(trace, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule = random_schedule(kernel, rng, taken, refused);
      if (!schedule.sized()) continue;
      auto inputs = testing::random_inputs(kernel, rng);
      te::Expected expected = testing::expected_of(kernel, inputs);
      for (std::vector<int64_t> const& values : all_size_values(schedule.sized()->program)) {
        ++programs;
        for (bool open : {true, false}) {
          ir::Program program =
              open ? schedule.sized()->program : with_sizes(schedule.sized()->program, values);
          ir::InterpretOptions options{.shuffle_seed = rng.next() | 1};
          if (open) options.sizes = values;
          auto outputs = ir::interpret(program, inputs, options);
          QVERIFY2(outputs, (text + schedule.script() + ir::to_text(program)).c_str());
          QVERIFY2(te::judge(*outputs, expected).equal,
                   (text + schedule.script() + ir::to_text(program)).c_str());
        }
      }
    }
    for (auto const& [name, count] : taken)
      qInfo("%-14s taken %d, refused %d", name.c_str(), count, refused[name]);
    qInfo("%d programs of %d traces", programs, traces);
    QVERIFY(programs >= traces * 2);
    for (char const* name : {"split_by_size", "split", "reorder", "fuse", "parallel", "vectorize"})
      QVERIFY2(taken[name] >= traces / 20, name);
  }

private:
  static Schedule random_schedule(te::Kernel const& kernel, Rng& rng,
                                  std::map<std::string, int>& taken,
                                  std::map<std::string, int>& refused) {
    Schedule schedule(te::to_program(kernel).value());
    auto take = [&](Step const& step) {
      auto next = schedule.apply(step);
      ++(next ? taken : refused)[step.primitive];
      if (next) schedule = std::move(*next);
    };
    for (int64_t tries = rng.between(0, 5); tries > 0; --tries)
      take(testing::propose_step(schedule.program(), rng, schedule.target()));
    for (char const* name : {"T", "U"}) {
      auto loops = ir::loops_of(schedule.program().body);
      ir::For const& loop = *loops[size_t(rng.below(int64_t(loops.size())))].loop;
      int64_t extent = ir::as_int(loop.extent).value_or(1);
      int64_t low = rng.between(1, extent), high = rng.between(low, std::min(low + 4, extent));
      take({"split_by_size",
            {reference_of(schedule.program(), loop.id)},
            {{"size", std::string(name)}, {"low", low}, {"high", high}},
            {}});
      for (int64_t tries = rng.between(2, 10); tries > 0; --tries) {
        auto const& table = open_primitives();
        Primitive const& one = *table[size_t(rng.below(int64_t(table.size())))];
        take(testing::propose_step(schedule.program(), rng, one, schedule.target()));
      }
    }
    return schedule;
  }

  /// Those that are taken while sizes are open, but for the one that opens them.
  static std::vector<Primitive const*> const& open_primitives() {
    static std::vector<Primitive const*> const list = [] {
      std::vector<Primitive const*> some;
      for (Primitive const* one : primitive_table())
        if (one->open_sizes && !one->open_sizes->with_value) some.push_back(one);
      return some;
    }();
    return list;
  }
};

QTEST_GUILESS_MAIN(SizesTest)
#include "sizes_test.moc"
