// Scripts that leave arguments open.
#include <QtTest>

#include "engine/schedule/open_script.h"
#include "engine/target/target.h"
#include "engine/te/te.h"

using namespace tw;

namespace {

constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[96, 64], B: f32[64, 80]) -> C\n"
    "  C[i in 96, j in 80] = sum[k in 64] A[i, k] * B[k, j]\n";

ir::Program product() { return te::to_program(te::parse_kernel(kProduct).value()).value(); }

OpenScript parsed(std::string const& steps) {
  return OpenScript::parse("tilewright schedule 1\nfor product\n" + steps, "t.tws").value();
}

QString code_of(std::string const& steps) {
  auto script = OpenScript::parse("tilewright schedule 1\nfor product\n" + steps, "t.tws");
  return script ? "none" : QString::fromStdString(script.error().code);
}

Knob const* knob(Decisions const& decisions, std::string const& name) {
  for (Knob const& one : decisions.knobs())
    if (one.name == name) return &one;
  return nullptr;
}

}  // namespace

class OpenScriptTest : public QObject {
  Q_OBJECT
private slots:
  void what_is_open_is_asked_for() {
    OpenScript script = parsed(
        "i.0, i.1 = split(C.i, factor=?)  # ? in a comment = ?\n"
        "j.0, j.1 = split(C.j, factor=?16)\n"
        "reorder(C.i.0, C.j.0, C.k, C.i.1, C.j.1)\n");
    QCOMPARE(script.open(), size_t(2));
    Decisions decisions;
    Schedule schedule = script.run(product(), any_target(), decisions);
    QVERIFY(!decisions.rejection());
    QCOMPARE(schedule.trace().size(), size_t(3));
    Knob const* i = knob(decisions, "C.i.factor");
    QVERIFY(i);
    // All divisors of 96, and 64, which leaves a rest.
    QCOMPARE(i->values, (std::vector<std::string>{"1", "2", "3", "4", "6", "8", "12", "16", "24",
                                                  "32", "48", "64", "96"}));
    QCOMPARE(knob(decisions, "C.j.factor")->value(), std::string("16"));
    QVERIFY(schedule.script().find("split(C.j, factor=16)") != std::string::npos);
    Decisions other(Point{{"C.i.factor", "6"}, {"C.j.factor", "20"}});
    QVERIFY(script.run(product(), any_target(), other).script().find("split(C.i, factor=6)") !=
            std::string::npos);
  }

  /// What a later step may be depends on the ones before.
  void extents_are_those_of_the_moment() {
    OpenScript script = parsed(
        "i.0, i.1 = split(C.i, factor=?24)\n"
        "i.1.0, i.1.1 = split(C.i.1, factor=?)\n");
    Decisions decisions;
    (void)script.run(product(), any_target(), decisions);
    QCOMPARE(knob(decisions, "C.i.1.factor")->values.back(), std::string("24"));
    Decisions other(Point{{"C.i.factor", "8"}});
    (void)script.run(product(), any_target(), other);
    QCOMPARE(knob(other, "C.i.1.factor")->values.back(), std::string("8"));
  }

  void lists_of_words_are_choices() {
    OpenScript script = parsed("pack(C, tensor=B, layout=?{BA, BA16b})\n");
    Decisions decisions;
    std::string packed = script.run(product(), any_target(), decisions).script();
    QVERIFY2(packed.find("layout=BA,") != std::string::npos, packed.c_str());
    QCOMPARE(decisions.knobs().front().values, (std::vector<std::string>{"BA", "BA16b"}));
    QCOMPARE(code_of("pack(C, tensor=B, layout=?)\n"), QString("open_word"));
    QCOMPARE(code_of("pack(C, tensor=B, layout=?{BA,})\n"), QString("bad_choice"));
  }

  void a_refused_step_rejects_the_point_and_says_where() {
    OpenScript script = parsed(
        "i.0, i.1 = split(C.i, factor=?8)\n"
        "vectorize(C.nowhere)\n"
        "j.0, j.1 = split(C.j, factor=?)\n");
    Decisions decisions;
    (void)script.run(product(), any_target(), decisions);
    QVERIFY(decisions.rejection());
    QCOMPARE(decisions.rejection()->reason, std::string("not legal"));
    QVERIFY2(decisions.rejection()->sentence.starts_with("line 4: "),
             decisions.rejection()->sentence.c_str());
    // Its other choices are known all the same.
    QVERIFY(knob(decisions, "C.j.factor"));
    QCOMPARE(code_of("spilt(C.i, factor=?)\n"), QString("unknown_primitive"));
  }

  void where_a_hand_stopped_all_numbers_are_open() {
    OpenScript by_hand = parsed(
        "i.0, i.1 = split(C.i, factor=12)\n"
        "j.0, j.1 = split(C.j, factor=16)\n"
        "vectorize(C.j.1)\n");
    Decisions none;
    Schedule schedule = by_hand.run(product(), any_target(), none);
    QVERIFY(none.knobs().empty());
    OpenScript open = OpenScript::all_open(schedule.trace());
    QCOMPARE(open.open(), size_t(2));
    Decisions decisions;
    QCOMPARE(open.run(product(), any_target(), decisions).script(), schedule.script());
    QCOMPARE(knob(decisions, "C.i.factor")->value(), std::string("12"));
  }

  void rubbish_is_told_of() {
    std::string endless = "split(C.i, factor=?{" + std::string(1'000'000, '8') + "})\n";
    QCOMPARE(code_of(endless), QString("line_too_long"));
    for (char const* text : {"", "?", "tilewright schedule 1\nfor product\nsplit(C.i, factor=?{\n",
                             "tilewright schedule 1\nfor product\nsplit(C.i, =?)\n"}) {
      auto script = OpenScript::parse(text, "t.tws");
      QVERIFY2(!script && !script.error().message.empty(), text);
    }
  }
};

QTEST_GUILESS_MAIN(OpenScriptTest)
#include "open_script_test.moc"
