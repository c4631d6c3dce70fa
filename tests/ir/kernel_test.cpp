// Kernel IR as text, both ways, and what its verifier says.
#include <QtTest>

#include <bit>

#include "engine/ir/kernel.h"
#include "engine/ir/rewrite.h"

using namespace tw;
using namespace tw::ir;

namespace {

/// Everything that a kernel can say and a program cannot: device functions, scopes, vectors, parts
/// of a group for one allocation or value, nothing at all, a NaN of its own.
constexpr char kRich[] = R"(tilewright kernel 1
host rich(X: f32[n*6], W: f32[24] @param, Y: f32[n*6])
  size n in 1..4
  alloc acc.0: f32[8] @register
    acc.0[ramp(0, 1, 8)] = broadcast(0.0, 8)
    for i in n
      acc.0[ramp(0, 1, 8)] = acc.0[ramp(0, 1, 8)]+W[ramp(i*8, 1, 8)]
    Y[ramp(0, 1, 8)] = acc.0[ramp(0, 1, 8)]
  let v = X[1]
    Y[1] = v
  prefetch X[12]
  if ramp(0, 1, 8) < broadcast(n, 8)
    Y[ramp(8, 2, 8)] = select(W[0] < -0.0, broadcast(1e-30, 8), broadcast(nan(9221120237577961472), 8))
  for i in n
    if X[i] < 0.0
      Y[i] = 0.0
    else
      nothing
  alloc t: f16[4] @stack
  let w = f16(X[0])
  for i in 4
    t[i] = max(w, -inf:f16)
  Y[0] = -nan
device part(X: f32[4] @shared, Y: f32[4])
  bind(threadIdx.x) i in 4
    Y[i] = X[i]
)";

QString failure(auto const& result) {
  return result ? QString("no error") : QString::fromStdString(to_sentence(result.error()));
}

std::string with_body(std::string const& body) {
  return "tilewright kernel 1\nhost f(X: f32[8], I: i64[8], Y: f32[8])\n" + body;
}

/// A kernel around statements that no text makes.
KernelIr around(Stmt body) {
  Function host{"f",
                {make_buffer("X", DType::kF32, {8}), make_buffer("Y", DType::kF32, {8})},
                {},
                std::move(body)};
  return {std::move(host), {}};
}

}  // namespace

class KernelTest : public QObject {
  Q_OBJECT
private slots:
  /// Behind a condition that never holds, which no pass need take away.
  void a_divisor_that_is_nothing_is_read_again() {
    auto kernel = parse_kernel(with_body("  Y[0] = select(0 != 0, f32(7 // 0), f32(7 % 0))\n"));
    QVERIFY2(kernel, kernel ? "" : kernel.error().message.c_str());
    QVERIFY(parse_kernel(print(*kernel).text));
  }

  void everything_that_a_kernel_can_say_prints_and_parses_back() {
    auto kernel = parse_kernel(kRich);
    QVERIFY2(kernel.has_value(), qPrintable(failure(kernel)));
    QCOMPARE(QString::fromStdString(print(*kernel).text), QString(kRich));
    auto again = parse_kernel(print(*kernel).text);
    QVERIFY2(again.has_value(), qPrintable(failure(again)));
    QVERIFY(equal(*kernel, *again));
    QCOMPARE(kernel->device.size(), size_t(1));
    QCOMPARE(kernel->host.params[1]->scope, std::string("param"));
  }

  void an_allocation_that_ends_early_differs_from_one_that_goes_on() {
    auto early =
        parse_kernel(with_body("  alloc t: f32[1] @local\n    t[0] = X[0]\n  Y[0] = 1.0\n"));
    auto late = parse_kernel(with_body("  alloc t: f32[1] @local\n  t[0] = X[0]\n  Y[0] = 1.0\n"));
    QVERIFY2(early && late, qPrintable(failure(early) + failure(late)));
    QVERIFY(!equal(*early, *late));
    QVERIFY(early->host.body.as<Seq>() && late->host.body.as<Alloc>());
  }

  void floats_come_back_to_the_bit() {
    for (uint64_t bits :
         std::vector<uint64_t>{0x8000000000000000u, 0x7ff8000000000000u, 0xfff8000000000000u,
                               0x7ff8000000000001u, 0xfff800000000beefu, 0x0000000000000001u,
                               0x3fb999999999999au, 0x7ff0000000000000u, 0xfff0000000000000u}) {
      Expr value = make<FloatImm>(DType::kF64, std::bit_cast<double>(bits));
      auto again = parse_expr(to_text(value), {}, {});
      QVERIFY2(again && equal(*again, value),
               (to_text(value) + failure(again).toStdString()).c_str());
    }
    QVERIFY(!parse_expr("nan(3)", {}, {}));
  }

  void equality_looks_at_sizes_parameters_and_every_function() {
    auto kernel = parse_kernel(kRich).value();
    for (auto const& [from, to] :
         std::vector<std::pair<std::string, std::string>>{{"1..4", "1..5"},
                                                          {"@param", "@other"},
                                                          {"host rich", "host poor"},
                                                          {"device part", "device whole"},
                                                          {"Y[i] = X[i]", "Y[i] = X[0]"},
                                                          {"@stack", "@local"}}) {
      std::string text = kRich;
      text.replace(text.find(from), from.size(), to);
      auto other = parse_kernel(text);
      QVERIFY2(other, qPrintable(failure(other)));
      QVERIFY2(!equal(kernel, *other), from.c_str());
    }
  }

  void rubbish_is_an_error_with_its_place_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    auto row = [](char const* name, std::string const& text, char const* sentence) {
      QTest::newRow(name) << QString::fromStdString(text) << sentence;
    };
    row("empty", "",
        "k:1: a kernel starts with 'tilewright kernel 1', a host function and its body");
    row("a program", "tilewright program 1\nprogram f() -> ()\n  Y[0] = 1.0\n",
        "k:1:12: expected 'kernel', found 'program'");
    row("version", "tilewright kernel 2\nhost f()\n  nothing\n",
        "k:1:20: this is kernel version 2; only version 1 can be read");
    row("no host", "tilewright kernel 1\ndevice f()\n  nothing\n",
        "k:2:1: expected 'host', found 'device'");
    row("no body", "tilewright kernel 1\nhost f(X: f32[1])\ndevice g()\n",
        "k:2:18: this line needs an indented body below it");
    row("unknown tensor", with_body("  Z[0] = 1.0\n"), "k:3:3: there is no tensor 'Z' here");
    row("out of its group", with_body("  let v = X[0]\n    Y[0] = v\n  Y[1] = v\n"),
        "k:5:10: 'v' is not an axis or size in scope here");
    row("word after nothing", with_body("  nothing more\n"),
        "k:3:11: unexpected 'more' at the end of the line");
    row("two sizes",
        "tilewright kernel 1\nhost f(X: f32[n])\n  size n in 1..2\n  size n in 1..2\n  nothing\n",
        "k:4:10: there are two sizes named 'n'");
    row("deep", with_body([] {
          std::string text;
          for (int i = 0; i < 500; ++i)
            text += std::string(size_t(i + 1) * 2, ' ') + "for i" + std::to_string(i) + " in 2\n";
          return text;
        }()),
        "k:403:803: loops are nested too deeply");
    row("mask",
        with_body("  if ramp(0, 1, 4) < broadcast(2, 4)\n    Y[ramp(0, 1, 4)] = "
                  "broadcast(0.0, 4)\n  else\n    nothing\n"),
        "a mask cannot have an else, in: if ramp(0, 1, 4) < broadcast(2, 4)");
    row("lanes", with_body("  Y[ramp(0, 1, 4)] = X[0]\n"),
        "4 elements are stored from 1 values, in: Y[ramp(0, 1, 4)] = X[0]");
    row("broadcast twice", with_body("  Y[ramp(0, 1, 4)] = broadcast(broadcast(X[0], 2), 4)\n"),
        "'broadcast(X[0], 2)' already has 2 lanes, so it cannot be broadcast, in: Y[");
    row("ramp of floats",
        with_body("  Y[0] = X[I[0]]\n  Y[i64(ramp(0.0, 1.0, 4))] = broadcast(0.0, 4)\n"),
        "a ramp has base type f32 and stride type f32, in: Y[i64(");
    row("select",
        with_body("  Y[ramp(0, 1, 4)] = select(X[ramp(0, 1, 2)] < broadcast(0.0, 2), "
                  "broadcast(0.0, 4), broadcast(1.0, 4))\n"),
        "a select of f32 of 4 lanes has a condition of 2 lanes, in: Y[");
  }
  void rubbish_is_an_error_with_its_place() {
    QFETCH(QString, text);
    QFETCH(QString, sentence);
    auto kernel = parse_kernel(text.toStdString(), "k");
    QVERIFY(!kernel);
    QVERIFY2(failure(kernel).startsWith(sentence), qPrintable(failure(kernel)));
  }

  void what_no_text_can_say_is_not_valid_either_data() {
    QTest::addColumn<int>("number");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("type") << 0 << "'i' is bound as i64 and used as i32, in: Y[i64(i)] = 0.0";
    QTest::newRow("declared")
        << 1
        << "the tensor 'X' is used with a different type or shape than declared, in: Y[0] = X[0]";
    QTest::newRow("let") << 2 << "'v' does not have the type of its value, in: let v = 1.0";
    QTest::newRow("bound twice") << 3 << "'i' is bound twice in one scope, in: for i in 2";
    QTest::newRow("no body") << 5 << "f has no body";
    QTest::newRow("operands") << 4 << "'1:i32' is i32, but '1' is i64, in: if 1:i32 < 1";
  }
  void what_no_text_can_say_is_not_valid_either() {
    QFETCH(int, number);
    QFETCH(QString, sentence);
    Buffer x = make_buffer("X", DType::kF32, {8}), y = make_buffer("Y", DType::kF32, {8});
    Buffer other = make_buffer("X", DType::kF32, {9});
    Stmt zero = make<Store>(y, std::vector<Expr>{int_imm(0)}, float_imm(0));
    auto loop = [](Stmt body) {
      return make<For>(LoopId{1}, var("i"), int_imm(2), LoopKind::kSerial, body);
    };
    Expr narrow = make<Cast>(DType::kI64, var("i", DType::kI32));
    std::vector<Stmt> bodies{
        loop(make<Store>(y, std::vector<Expr>{narrow}, float_imm(0))),
        make<Store>(y, std::vector<Expr>{int_imm(0)}, load(other, {int_imm(0)})),
        make<Let>(var("v"), float_imm(1), zero),
        loop(loop(zero)),
        make<If>(make<Binary>(BinaryOp::kLt, int_imm(1, DType::kI32), int_imm(1)), zero),
        Stmt()};
    Status status = verify(around(bodies[size_t(number)]));
    QVERIFY(!status);
    QCOMPARE(status.error().code, std::string("invalid_kernel"));
    QCOMPARE(failure(status), sentence);
  }

  void copies_of_a_loop_are_no_error_of_a_kernel() {
    Stmt zero = make<Store>(make_buffer("Y", DType::kF32, {8}), std::vector<Expr>{int_imm(0)},
                            float_imm(0));
    Stmt loop = make<For>(LoopId{1}, var("i"), int_imm(2), LoopKind::kSerial, zero);
    QVERIFY(verify(around(seq({loop, loop}))));
  }
};

QTEST_GUILESS_MAIN(KernelTest)
#include "kernel_test.moc"
