// Kernels under the rule and under random tiles and threads: what the accelerator's streams
// compute is what the program says, in any order that their tokens allow, and every token is
// needed.
#include <QtTest>

#include <array>

#include "engine/compile/kernel_code.h"
#include "engine/ir/interpreter.h"
#include "engine/schedule/trace.h"
#include "targets/vta/compiler/token_room.h"
#include "targets/vta/prover/prover.h"
#include "tests/support/vta_kernels.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;

namespace {

Configuration board(char const* name) { return *find_board(name); }

/// Small memories, so that small kernels are cut into many tiles.
Configuration small(int log_batch, int log_block, bool version_2 = false) {
  Configuration c;
  c.name = "small";
  if (version_2) c.isa = IsaVersion::kV2;
  c.acc8 = c.mul = true;
  c.log_batch = log_batch, c.log_block = log_block;
  c.log_inp_bytes = 11, c.log_wgt_bytes = 12, c.log_acc_bytes = 13, c.log_uop_bytes = 9;
  return c;
}

ConvShape random_shape(Rng& rng, Configuration const& c) {
  ConvShape shape;
  shape.images = c.batch() * rng.between(1, 2);
  shape.height = rng.between(3, 12), shape.width = rng.between(3, 12);
  shape.in = c.block() * rng.between(1, 3), shape.out = c.block() * rng.between(1, 4);
  shape.kernel = rng.below(3) == 0 ? 1 : 3;
  shape.stride = rng.between(1, 2);
  shape.bias = rng.below(2), shape.residual = rng.below(3) == 0;
  shape.least = std::array<int64_t, 3>{-127, -128, 0}[rng.below(3)];
  shape.places = rng.below(3) == 0;
  return shape;
}

PoolShape random_pool(Rng& rng, Configuration const& c) {
  PoolShape shape;
  shape.images = c.batch() * rng.between(1, 2);
  shape.height = rng.between(4, 12), shape.width = rng.between(4, 12);
  shape.channels = c.block() * rng.between(1, 3);
  shape.window = rng.between(2, 3), shape.stride = rng.between(1, 3);
  shape.padding = rng.between(0, shape.window - 1);
  shape.pool = std::array{Pool::kLargest, Pool::kLeast, Pool::kSum}[rng.below(3)];
  shape.residual = shape.pool == Pool::kSum && rng.below(2);
  return shape;
}

/// A kernel's schedule with every knob drawn.
std::optional<Schedule> random_schedule(Backend const& backend, ir::Program const& program,
                                        Rng& rng) {
  Decisions decisions({}, [&](Knob const& knob) { return int(rng.below(knob.values.size())); });
  auto schedule = backend.templated(program, decisions);
  if (!schedule || decisions.rejection() || schedule->trace().empty()) return {};
  return std::move(*schedule);
}

struct Compiled {
  CallProgram calls;
  Batch batch;
};

Compiled compiled(ir::Program const& program, Backend const& backend,
                  Configuration const& configuration) {
  auto calls = calls_of(program, backend, configuration);
  if (!calls) qFatal("%s", to_sentence(calls.error()).c_str());
  auto batches = make_batches(*calls, sample_addresses(*calls));
  if (!batches) qFatal("%s", to_sentence(batches.error()).c_str());
  if (batches->size() != 1) qFatal("%zu batches", batches->size());
  return {std::move(*calls), std::move(batches->front())};
}

/// On the golden model and in five orders of the modules.
QString fault_of(ir::Program const& program, Backend const& backend, Configuration const& c,
                 ir::Program const& plain, Rng& rng) {
  Compiled made = compiled(program, backend, c);
  std::vector<NDArray> inputs = random_inputs(plain, rng);
  NDArray want = ir::interpret(plain, inputs).value()[0];
  std::vector<std::byte> const start = memory_with(made.calls, made.batch, inputs);
  auto equal = [&](std::vector<std::byte> const& memory) {
    std::vector<std::byte> got = result_in(made.calls, memory);
    return std::memcmp(got.data(), want.data(), got.size()) == 0;
  };
  std::vector<std::byte> memory = start;
  auto golden = run_behavioural(c, made.batch.stream, memory);
  if (!golden) return QString::fromStdString(to_sentence(golden.error()));
  if (!equal(memory)) return "the golden model computes something else";
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    memory = start;
    auto run = run_events(c, made.batch.stream, memory, {.seed = seed});
    if (!run) return QString::fromStdString(to_sentence(run.error()));
    if (!equal(memory)) return QString("seed %1 computes something else").arg(seed);
    if (run->tokens_left != std::array<int64_t, 4>{}) return "tokens are left over";
  }
  auto proof = prove(c, made.batch.stream, start);
  if (!proof) return QString::fromStdString(to_sentence(proof.error()));
  if (!proof->proven())
    return QString::fromStdString(
        proof->races.empty() ? proof->deadlock : to_sentence(proof->races[0], made.batch.stream));
  return {};
}

int64_t count_from(char const* variable, int64_t otherwise) {
  return qEnvironmentVariableIsSet(variable) ? qEnvironmentVariableIntValue(variable) : otherwise;
}

}  // namespace

class KernelsTest : public QObject {
  Q_OBJECT
private slots:
  void a_kernel_by_rule_is_right_data() {
    QTest::addColumn<QString>("board");
    for (Configuration const& one : boards())
      QTest::newRow(one.name.c_str()) << QString::fromStdString(one.name);
  }
  void a_kernel_by_rule_is_right() {
    QFETCH(QString, board);
    Configuration c = ::board(board.toUtf8().constData());
    auto backend = backend_of(c);
    Rng rng(7);
    for (auto [kernel, stride] : {std::pair(3, 1), std::pair(3, 2), std::pair(1, 2)}) {
      ConvShape shape{.images = c.batch(),
                      .height = 7,
                      .width = 9,
                      .in = 2 * c.block(),
                      .out = 2 * c.block(),
                      .kernel = kernel,
                      .stride = stride,
                      .bias = true,
                      .residual = stride == 1};
      ir::Program plain = program_of(text_of(shape, c));
      Schedule schedule = backend->default_schedule(plain).value();
      QVERIFY2(!schedule.trace().empty(), "the rule applies");
      QString fault = fault_of(schedule.program(), *backend, c, plain, rng);
      QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
  }

  /// The published boards have no load of bytes into accumulators, and no products there.
  void what_a_design_cannot_do_is_refused_with_its_reason_data() {
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("reason");
    QTest::newRow("residual of bytes")
        << "sums[n, o, j] + i32(R[n, o, j])"
        << "R is of bytes, which this design cannot load into 'acc' (acc8 = no): make it i32 in a "
           "kernel before this one";
    QTest::newRow("product") << "sums[n, o, j] * 3:i32"
                             << "sums is multiplied, which this design's ALU cannot (mul = no)";
    QTest::newRow("shift by a tensor")
        << "sums[n, o, j] >> B[o, j]"
        << "sums is shifted by what a tensor holds, of which this design takes the lowest 5 bits "
           "(shift_bits): shift by numbers, or hold what the tensor says within 0 and 15 "
           "(min(max(...)))";
    QTest::newRow("shift by a tensor within too wide bounds")
        << "sums[n, o, j] >> min(max(B[o, j], 0:i32), 16:i32)"
        << "sums is shifted by what a tensor holds, of which this design takes the lowest 5 bits "
           "(shift_bits): shift by numbers, or hold what the tensor says within 0 and 15 "
           "(min(max(...)))";
  }
  void what_a_design_cannot_do_is_refused_with_its_reason() {
    QFETCH(QString, value);
    QFETCH(QString, reason);
    std::string text =
        "tilewright te 1\nkernel dense(X: i8[1, 2, 16], W: i8[2, 2, 16, 16] @param, R: i8[1, 2, "
        "16], "
        "B: i32[2, 16] @param) -> Y\n"
        "  sums[n in 1, o in 2, j in 16] = sum[k in 2, i in 16] i32(X[n, k, i]) * i32(W[o, k, j, "
        "i])\n"
        "  made[n in 1, o in 2, j in 16] = " +
        value.toStdString() +
        "\n  Y[n in 1, o in 2, j in 16]: i8 = i8(min(max(made[n, o, j] >> 8:i32, -127:i32), "
        "127:i32))\n";
    ir::Program plain = program_of(text);
    for (char const* name : {"pynq", "sim"}) {
      Configuration c = board(name);
      auto backend = backend_of(c);
      Schedule schedule = backend->default_schedule(plain).value();
      auto calls = calls_of(schedule.program(), *backend, c);
      QVERIFY2(calls.has_value() == c.acc8, calls ? "" : calls.error().message.c_str());
      if (!calls) {
        QString message = QString::fromStdString(calls.error().message);
        QVERIFY2(message.mid(message.indexOf(' ')) == reason.mid(reason.indexOf(' ')),
                 qPrintable(message));
        continue;
      }
      Rng rng(3);
      if (value.contains(">> B")) continue;  // amounts by chance
      QString fault = fault_of(schedule.program(), *backend, c, plain, rng);
      QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
  }

  /// Of what no rule fits the kernel is told, and not where its tensors would lie; of a schedule
  /// that somebody wrote what the schedule lacks.
  void what_no_rule_fits_is_refused_with_what_it_computes_data() {
    QTest::addColumn<QString>("stages");
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("reason");
    QString const product =
        "  a[n in 1, o in 2, y in 4, j in 16] = sum[c in 2, i in 16] i32(X[n, c, y, i]) * "
        "i32(W[o, c, j, i])\n";
    QTest::newRow("pool behind products")
        << product +
               "  s[n in 1, o in 2, y in 4, j in 16] = sum[r in 4] a[n, o, r, j] + a[n, o, y, j]\n"
               "  Y[n in 1, o in 2, y in 4, j in 16]: i8 = i8(min(max(s[n, o, y, j] >> 9:i32, "
               "-127:i32), 127:i32))\n"
        << ""
        << "s joins the results of its products";
    QTest::newRow("two products")
        << product +
               "  m[n in 1, o in 2, y in 4, j in 16]: i8 = i8(min(max(a[n, o, y, j] >> 7:i32, "
               "0:i32), 127:i32))\n"
               "  b[n in 1, o in 2, y in 4, j in 16] = sum[c in 2, i in 16] i32(m[n, c, y, i]) * "
               "i32(W[o, c, j, i])\n"
               "  Y[n in 1, o in 2, y in 4, j in 16]: i8 = i8(min(max(b[n, o, y, j] >> 7:i32, "
               "-127:i32), 127:i32))\n"
        << ""
        << "it has 2 products one behind another";
    QString const lanes =
        "  s[n in 1, o in 2, y in 4] = sum[j in 16] i32(X[n, o, y, j])\n"
        "  Y[n in 1, o in 2, y in 4, j in 16]: i8 = i8(min(max(i32(W[o, 0, j, j]) - s[n, o, y], "
        "-127:i32), 127:i32))\n";
    QTest::newRow("sum within elements") << lanes << ""
                                         << "s joins the numbers of one element of 1 x 16";
    QTest::newRow("a schedule") << lanes << "split(s.y, factor=2)"
                                << "one stage makes s and another one reads it from 'global'";
  }
  void what_no_rule_fits_is_refused_with_what_it_computes() {
    QFETCH(QString, stages);
    QFETCH(QString, steps);
    QFETCH(QString, reason);
    std::string text =
        "tilewright te 1\nkernel k(X: i8[1, 2, 4, 16], W: i8[2, 2, 16, 16] @param) -> Y\n" +
        stages.toStdString();
    auto backend = backend_of(board("sim"));
    Schedule schedule = backend->default_schedule(program_of(text)).value();
    if (!steps.isEmpty()) {
      auto taken = schedule.apply(parse_step(steps.toStdString()).value());
      QVERIFY2(taken, taken ? "" : taken.error().message.c_str());
      schedule = *taken;
    }
    auto code = emit_kernel(schedule.program(), *backend, CodeTier::kFast);
    QVERIFY(!code);
    QVERIFY2(code.error().message.starts_with(reason.toStdString()), code.error().message.c_str());
  }

  /// Channels with steps of their own: one instruction shifts each by what a tensor says.
  void channels_are_shifted_by_what_a_tensor_says() {
    Rng rng(7);
    for (char const* name : {"pynq", "sim", "sim-v2", "pynq-4x8"})
      for (bool residual : {false, true}) {
        Configuration c = board(name);
        auto backend = backend_of(c);
        ConvShape shape{.images = c.batch(),
                        .height = 14,
                        .width = 10,
                        .in = 2 * c.block(),
                        .out = 4 * c.block(),
                        .bias = true,
                        .residual = residual,
                        .rounded = false,
                        .places = true};
        ir::Program plain = program_of(text_of(shape, c));
        Schedule schedule = backend->default_schedule(plain).value();
        QVERIFY2(!schedule.trace().empty(), name);
        QString fault = fault_of(schedule.program(), *backend, c, plain, rng);
        QVERIFY2(fault.isEmpty(), qPrintable(name + QString(": ") + fault));
      }
  }

  void a_shift_farther_than_the_designs_is_several() {
    for (int amount : {3, 15, 16, 17, 31}) {
      std::string text =
          "tilewright te 1\nkernel dense(X: i8[1, 8, 16], W: i8[1, 8, 16, 16] @param) -> Y\n"
          "  sums[n in 1, o in 1, j in 16] = sum[k in 8, i in 16] i32(X[n, k, i]) * i32(W[o, k, j, "
          "i])\n"
          "  far[n in 1, o in 1, j in 16] = sums[n, o, j] << " +
          std::to_string(amount) + ":i32\n  back[n in 1, o in 1, j in 16] = far[n, o, j] >> " +
          std::to_string(amount) +
          ":i32\n  Y[n in 1, o in 1, j in 16]: i8 = i8(min(max(back[n, o, j], -127:i32), "
          "127:i32))\n";
      ir::Program plain = program_of(text);
      for (char const* name : {"pynq", "sim"}) {
        Configuration c = board(name);
        auto backend = backend_of(c);
        Rng rng{uint64_t(amount)};
        Schedule schedule = backend->default_schedule(plain).value();
        QString fault = fault_of(schedule.program(), *backend, c, plain, rng);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
      }
    }
  }

  /// Queues of one token: streams run, or the kernel is refused before there is one.
  void short_queues_of_tokens_are_enough_or_refused() {
    int ran = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      Rng rng(seed);
      Configuration c = small(int(rng.below(2)), int(rng.between(1, 3)));
      c.token_queue = int(rng.between(1, 2)), c.tokens_stall = rng.below(2);
      auto backend = backend_of(c);
      ir::Program plain = program_of(text_of(random_shape(rng, c), c));
      auto schedule = random_schedule(*backend, plain, rng);
      if (!schedule) continue;
      auto calls = calls_of(schedule->program(), *backend, c);
      if (!calls) continue;
      auto room = check_token_room(*calls);
      if (!room) {
        ++refused;
        QCOMPARE(room.error().code, std::string("vta_tokens"));
        continue;
      }
      ++ran;
      QString fault = fault_of(schedule->program(), *backend, c, plain, rng);
      QVERIFY2(fault.isEmpty(), qPrintable(QString("seed %1: ").arg(seed) + fault));
    }
    qInfo("%d kernels ran, %d were refused", ran, refused);
    QVERIFY(ran > 3 && refused > 3);
  }

  void random_kernels_under_random_tiles_are_right() {
    int64_t wanted = count_from("TW_VTA_KERNELS", 40), made = 0, threads = 0, residuals = 0;
    uint64_t first = uint64_t(count_from("TW_TEST_SEED", 20260));
    for (uint64_t seed = first; made < wanted; ++seed) {
      QVERIFY2(seed < first + uint64_t(20 * wanted), "most shapes have a schedule");
      Rng rng(seed);
      Configuration c = small(int(rng.below(3)), int(rng.between(1, 4)), rng.below(3) == 0);
      QVERIFY(validate(c));
      c.acc8 = rng.below(2);
      auto backend = backend_of(c);
      ConvShape shape = random_shape(rng, c);
      ir::Program plain = program_of(text_of(shape, c));
      auto schedule = random_schedule(*backend, plain, rng);
      if (!schedule) continue;
      ++made;
      threads += schedule->script().find("vthread") != std::string::npos;
      residuals += shape.residual;
      QString fault = fault_of(schedule->program(), *backend, c, plain, rng);
      QVERIFY2(fault.isEmpty(),
               qPrintable(QString("seed %1: %2\n%3\n%4")
                              .arg(seed)
                              .arg(fault, QString::fromStdString(text_of(shape, c)),
                                   QString::fromStdString(schedule->script()))));
    }
    qInfo("%lld kernels, %lld with threads, %lld with a residual", qlonglong(made),
          qlonglong(threads), qlonglong(residuals));
    QVERIFY(threads * 5 > made && residuals * 10 > made);
  }

  /// Dense layers, convolutions of groups, and transposed convolutions written by their phases.
  void products_of_other_shapes_are_right_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("dense")
        << "kernel dense(X: i8[4, 3, 16], W: i8[5, 3, 16, 16] @param) -> Y\n"
           "  sums[n in 4, o in 5, j in 16] = sum[k in 3, i in 16] i32(X[n, k, i]) * i32(W[o, k, "
           "j, i])\n"
           "  Y[n in 4, o in 5, j in 16]: i8 = i8(min(max(sums[n, o, j] >> 4:i32, -127:i32), "
           "127:i32))\n";
    QTest::newRow("groups")
        << "kernel groups(X: i8[1, 4, 6, 6, 16], W: i8[2, 3, 2, 3, 3, 16, 16] @param) -> Y\n"
           "  conv[n in 1, g in 2, o in 3, y in 4, x in 4, j in 16] = sum[c in 2, r in 3, s in 3, "
           "i in 16] i32(X[n, 2*g+c, y+r, x+s, i]) * i32(W[g, o, c, r, s, j, i])\n"
           "  Y[n in 1, g in 2, o in 3, y in 4, x in 4, j in 16]: i8 = i8(min(max(conv[n, g, o, y, "
           "x, j] >> 6:i32, 0:i32), 127:i32))\n";
    QTest::newRow("transposed")
        << "kernel up(X: i8[1, 2, 4, 4, 16], W: i8[2, 2, 2, 2, 2, 2, 16, 16] @param) -> Y\n"
           "  pad[n in 1, c in 2, y in 6, x in 6, i in 16] = select(1 <= y && y < 5 && 1 <= x && x "
           "< 5, X[n, c, y-1, x-1, i], 0:i8)\n"
           "  conv[n in 1, o in 2, y in 4, p in 2, x in 4, q in 2, j in 16] = sum[c in 2, r in 2, "
           "s in 2, i in 16] i32(pad[n, c, y+p+r, x+q+s, i]) * i32(W[o, c, p, q, r, s, j, i])\n"
           "  Y[n in 1, o in 2, y in 4, p in 2, x in 4, q in 2, j in 16]: i8 = i8(min(max(conv[n, "
           "o, y, p, x, q, j] >> 6:i32, -128:i32), 127:i32))\n";
  }
  void products_of_other_shapes_are_right() {
    QFETCH(QString, text);
    for (char const* name : {"pynq", "sim-v2"}) {
      Configuration c = board(name);
      auto backend = backend_of(c);
      Rng rng(11);
      ir::Program plain = program_of("tilewright te 1\n" + text.toStdString());
      Schedule schedule = backend->default_schedule(plain).value();
      QVERIFY2(!schedule.trace().empty(), "the rule applies");
      QString fault = fault_of(schedule.program(), *backend, c, plain, rng);
      QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
  }

  void random_windows_under_random_tiles_are_right() {
    int64_t wanted = count_from("TW_VTA_KERNELS", 40), made = 0, padded = 0, threads = 0, sums = 0;
    uint64_t first = uint64_t(count_from("TW_TEST_SEED", 20261));
    for (uint64_t seed = first; made < wanted; ++seed) {
      QVERIFY2(seed < first + uint64_t(20 * wanted), "most shapes have a schedule");
      Rng rng(seed);
      Configuration c = small(int(rng.below(3)), int(rng.between(1, 4)), rng.below(3) == 0);
      auto backend = backend_of(c);
      PoolShape shape = random_pool(rng, c);
      ir::Program plain = program_of(text_of(shape, c));
      auto schedule = random_schedule(*backend, plain, rng);
      QString text = QString::fromStdString(text_of(shape, c));
      if (!schedule) continue;
      ++made;
      padded += shape.padding > 0;
      sums += shape.pool == Pool::kSum;
      threads += schedule->script().find("vthread") != std::string::npos;
      QString fault = fault_of(schedule->program(), *backend, c, plain, rng);
      QVERIFY2(fault.isEmpty(),
               qPrintable(QString("seed %1: %2\n%3\n%4")
                              .arg(seed)
                              .arg(fault, text, QString::fromStdString(schedule->script()))));
    }
    qInfo("%lld with padding, %lld with threads, %lld sums", qlonglong(padded), qlonglong(threads),
          qlonglong(sums));
    QVERIFY(padded > wanted / 4 && threads > wanted / 8 && sums > wanted / 8);
  }

  /// Taking away one pair of a push and the pop that it belongs to leaves a race.
  void every_token_is_needed() {
    int64_t pairs = 0;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      Rng rng(seed);
      Configuration c = small(0, 2);
      auto backend = backend_of(c);
      ir::Program plain = program_of(text_of(random_shape(rng, c), c));
      auto schedule = random_schedule(*backend, plain, rng);
      if (!schedule) continue;
      Compiled made = compiled(schedule->program(), *backend, c);
      std::vector<std::byte> memory =
          memory_with(made.calls, made.batch, random_inputs(plain, rng));
      QVERIFY(prove(c, made.batch.stream, memory)->proven());
      for (Module from : {Module::kLoad, Module::kCompute, Module::kStore})
        for (Module to : {Module::kLoad, Module::kCompute, Module::kStore}) {
          int count = tokens_between(made.calls, from, to);
          for (int k = 0; k < count; ++k) {
            CallProgram less = made.calls;
            take_away(less, from, to, k);
            auto batches = make_batches(less, sample_addresses(less));
            QVERIFY(batches && batches->size() == 1);
            auto proof = prove(c, batches->front().stream, memory);
            QVERIFY2(proof && !proof->proven(),
                     qPrintable(QString("seed %1, token %2 from %3 to %4")
                                    .arg(seed)
                                    .arg(k)
                                    .arg(int(from))
                                    .arg(int(to))));
            ++pairs;
          }
        }
    }
    qInfo("%lld pairs", qlonglong(pairs));
    QVERIFY(pairs > 100);
  }

private:
  static bool Tokens::*push_of(Module from, Module to) {
    return to > from ? &Tokens::push_next : &Tokens::push_prev;
  }
  static bool Tokens::*pop_of(Module from, Module to) {
    return from > to ? &Tokens::pop_next : &Tokens::pop_prev;
  }
  static int tokens_between(CallProgram const& program, Module from, Module to) {
    if (std::abs(int(from) - int(to)) != 1) return 0;
    return int(std::ranges::count_if(program.calls, [&](Call const& call) {
      return module_of(call) == from && call.tokens.*push_of(from, to);
    }));
  }
  static void take_away(CallProgram& program, Module from, Module to, int k) {
    int pushed = 0, popped = 0;
    for (Call& call : program.calls) {
      bool& push = call.tokens.*push_of(from, to);
      if (module_of(call) == from && push && pushed++ == k) push = false;
      bool& pop = call.tokens.*pop_of(from, to);
      if (module_of(call) == to && pop && popped++ == k) pop = false;
    }
  }
};

QTEST_GUILESS_MAIN(KernelsTest)
#include "kernels_test.moc"
