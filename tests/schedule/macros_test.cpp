// Macros: what a `.twm` file may say, what its steps become, and what is said when they are
// refused.
#include <QTemporaryDir>
#include <QtTest>

#include "engine/ir/text.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/macros/expansion.h"
#include "engine/schedule/names.h"
#include "engine/schedule/open_script.h"
#include "engine/schedule/trace.h"
#include "engine/schedule/transfer.h"
#include "engine/support/files.h"
#include "engine/te/te.h"
#include "tests/support/mutate.h"
#include "tests/support/random_schedules.h"
#include "tests/support/thread_machine.h"

using namespace tw;

namespace {

constexpr char kMatmul[] = R"(tilewright te 1
kernel matmul(A: f32[24, 12], B: f32[12, 20]) -> C
  C[i in 24, j in 20] = sum[k in 12] A[i, k] * B[k, j]
)";

Schedule plain(std::shared_ptr<Target const> target = any_target()) {
  return Schedule(te::to_program(te::parse_kernel(kMatmul).value()).value(), std::move(target));
}

MacroSource source(std::string const& name, std::string const& rest) {
  return {name + ".twm", "tilewright macro 1\nmacro " + name + rest};
}

/// Small whole numbers: sums are exact in every order.
bool same_results(ir::Program const& a, ir::Program const& b, uint64_t seed) {
  Rng rng(seed);
  std::vector<NDArray> inputs = testing::random_inputs(a, rng);
  for (NDArray& input : inputs)
    for (int64_t i = 0; i < input.size(); ++i) input.set_value(i, double(rng.below(8)));
  auto first = ir::interpret(a, inputs), second = ir::interpret(b, inputs);
  if (!first || !second) return false;
  for (size_t output = 0; output < first->size(); ++output)
    for (int64_t i = 0; i < (*first)[output].size(); ++i)
      if ((*first)[output].value_at(i) != (*second)[output].value_at(i)) return false;
  return !first->empty();
}

std::expected<Schedule, Refusal> applied(Schedule const& schedule, std::string const& line,
                                         MacroSet const& macros) {
  return apply_step(schedule, parse_step(line, &macros).value(), macros);
}

std::string why_not(Schedule const& schedule, std::string const& line, MacroSet const& macros) {
  auto next = applied(schedule, line, macros);
  return next ? "" : next.error().code + ": " + next.error().message;
}

/// The first error of a set of these sources, as a sentence.
std::string first_error(std::vector<MacroSource> const& sources) {
  MacroSet set(sources);
  return set.errors().empty() ? "" : to_sentence(set.errors().front());
}

MacroSource const kCut = source("cut",
                                "(loop i) -> outer, inner\n"
                                "number factor from 2 to 16 = 4\n"
                                "steps\n"
                                "outer, inner = split(i, factor=factor)\n");

}  // namespace

class MacrosTest : public QObject {
  Q_OBJECT
private slots:
  void the_programs_own_macros_can_all_be_used_and_survive_their_text() {
    MacroSet set = load_macros({});
    QVERIFY2(set.errors().empty(),
             set.errors().empty() ? "" : to_sentence(set.errors()[0]).c_str());
    QVERIFY(set.all().size() >= 4);
    for (Macro const& macro : set.all()) {
      QVERIFY(!macro.head.doc.empty() && macro.head.rewrite.contains("-->"));
      for (Parameter const& parameter : macro.head.parameters) QVERIFY(!parameter.doc.empty());
      std::string text = to_text(macro);
      QCOMPARE(to_text(parse_macro(text, "again").value()), text);
    }
  }

  void a_macro_of_the_program_is_one_step_of_the_trace() {
    std::string line = "two_level_tile(C.i, C.j, inner=2, outer=8)";
    Schedule tiled = applied(plain(), line, load_macros({})).value();
    QCOMPARE(tiled.script(), "tilewright schedule 1\nfor matmul\n" + line + "\n");
    QCOMPARE(tiled.trace()[0].proof, std::string("each of its 2 steps is legal"));
    // Whoever replays it has it, too, and finds the same loops.
    Schedule again = replay(plain(), parse_script(tiled.script()).value()).value();
    QVERIFY(ir::equal(again.program(), tiled.program()));
    QVERIFY(same_results(plain().program(), tiled.program(), 7));
    // Where loops came to is known as of any step.
    ir::LoopId i = find_loop(plain().program(), "C.i").value().loop->id;
    QCOMPARE(tiled.last_cursors().at(i).size(), size_t(3));
    // Trusted it makes the same; as a question it is answered and not taken.
    Schedule trusted = plain().apply(tiled.trace()[0].step, ProofBudget::kTrusted).value();
    QVERIFY(ir::equal(trusted.program(), tiled.program()));
    QVERIFY(plain().check(tiled.trace()[0].step));
    QCOMPARE(plain().check(parse_step("two_level_tile(C.i, C.q)").value()).error().code,
             std::string("unknown_loop"));
  }

  void a_macro_in_a_trace_becomes_its_steps_where_one_wants_to_edit_them() {
    Schedule bound = plain();
    for (char const* line : {"a, b = vectorize_inner(C.j, lanes=4)", "parallel(C.i)"})
      bound = bound.apply(parse_step(line).value()).value();
    QCOMPARE(bound.trace().size(), size_t(2));
    Schedule written_out = in_primitives(plain(), bound.trace()).value();
    QCOMPARE(written_out.script(),
             std::string("tilewright schedule 1\nfor matmul\na, b = split(C.j, factor=4)\n"
                         "vectorize(C.b)\nparallel(C.i)\n"));
    QVERIFY(ir::equal(written_out.program(), bound.program()));
  }

  void a_macro_is_carried_over_to_another_kernel_and_opened_for_the_tuner() {
    Schedule bound = plain().apply(parse_step("vectorize_inner(C.j, lanes=4)").value()).value();
    std::string other = kMatmul;
    for (auto at = other.find("20"); at != other.npos; at = other.find("20"))
      other.replace(at, 2, "32");
    Transfer moved =
        transfer(bound, Schedule(te::to_program(te::parse_kernel(other).value()).value()));
    QCOMPARE(moved.schedule.script(), bound.script());
    OpenScript open = OpenScript::all_open(bound.trace());
    QCOMPARE(open.open(), size_t(1));
    Decisions decisions;
    QCOMPARE(open.run(plain().program(), any_target(), decisions).script(), bound.script());
    QVERIFY(!decisions.rejection());
  }

  void a_macro_of_a_folder_becomes_primitives_so_that_others_can_replay_it() {
    MacroSet set({kCut});
    Schedule tiled = applied(plain(), "cut(C.i)", set).value();
    QCOMPARE(tiled.trace()[0].step.primitive, std::string("split"));
    QVERIFY(replay(plain(), parse_script(tiled.script()).value()));
  }

  void loops_get_the_names_that_the_caller_gives() {
    MacroSet set = load_macros({});
    Schedule tiled =
        applied(plain(), "a, b, c, d, e, f = two_level_tile(C.i, C.j, outer=8, inner=2)", set)
            .value();
    for (char const* name : {"a", "b", "c", "d", "e", "f"})
      QVERIFY(find_loop(tiled.program(), name));
    QCOMPARE(why_not(plain(), "a, a = vectorize_inner(C.j)", set),
             std::string("name_taken: vectorize_inner, line 8, a, a = split(C.j, factor=16): "
                         "the name a is already used"));
  }

  void a_matrix_product_is_bound_to_blocks_and_threads_in_one_step() {
    MacroSet set = load_macros({});
    auto bound = applied(plain(testing::thread_machine()),
                         "gemm_blocks_threads(C, C.i, C.j, C.k, a=A, b=B, rows=8, columns=8, "
                         "row_sums=2, column_sums=2, depth=4)",
                         set);
    QVERIFY2(bound, bound ? "" : bound.error().message.c_str());
    QVERIFY(ir::to_text(bound->program()).contains("@shared"));
    QVERIFY(same_results(plain().program(), bound->program(), 3));
    QCOMPARE(why_not(plain(), "gemm_blocks_threads(C, C.i, C.j, C.k, a=A, b=B)", set),
             std::string("no_thread_axes: gemm_blocks_threads: the target any has no blocks or "
                         "threads"));
  }

  void a_refused_step_refuses_the_whole_macro_with_its_line_and_reason() {
    MacroSet set({kCut, source("inner_lanes",
                               "(loop i)\nnumber lanes from 2 to 16 = 4\nsteps\n"
                               "o, l = cut(i, factor=lanes)\nvectorize(l)\n")});
    QVERIFY(set.errors().empty());
    Schedule schedule = plain();
    auto refused = applied(schedule, "inner_lanes(C.k)", set);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("reduction_carried"));
    QVERIFY2(refused.error().message.starts_with("inner_lanes, line 6, vectorize(C.k.1): "),
             refused.error().message.c_str());
    std::vector<ir::LoopId> culprits{find_loop(schedule.program(), "C.k").value().loop->id};
    QCOMPARE(refused.error().culprits, culprits);
    QVERIFY(schedule.trace().empty());
    // Of a macro that another one uses both are named.
    QCOMPARE(why_not(plain(), "inner_lanes(C.j, lanes=16)", set), std::string());
    Schedule whole = applied(plain(), "parallel(C.j)", set).value();
    QCOMPARE(why_not(whole, "inner_lanes(C.j)", set),
             std::string("loop_annotated: inner_lanes, line 5, cut(C.j, factor=4): cut, line 5, "
                         "split(C.j, factor=4): C.j is already parallel"));
  }

  void steps_of_scripts_are_macros_where_they_are_known() {
    MacroSet set({kCut});
    std::string text = "tilewright schedule 1\nfor matmul\ncut(C.i, factor=6)\nparallel(C.i.0)\n";
    QVERIFY(!parse_script(text));
    Script script = parse_script(text, "", false, &set).value();
    Schedule schedule = replay(plain(), script, &set).value();
    QCOMPARE(schedule.script(), std::string("tilewright schedule 1\nfor matmul\ni.0, i.1 = "
                                            "split(C.i, factor=6)\nparallel(C.i.0)\n"));
    script.steps.pop_back();
    script.steps.push_back({9, parse_step("cut(C.q)", &set).value()});
    auto refused = replay(plain(), script, &set);
    QVERIFY(!refused);
    QCOMPARE(refused.error().line, 9);
    QCOMPARE(refused.error().code, std::string("unknown_loop"));
  }

  void arguments_of_a_macro_are_checked_as_those_of_a_primitive() {
    MacroSet set({kCut});
    QCOMPARE(why_not(plain(), "cut(C.i, factor=17)", set),
             std::string("argument_out_of_range: cut: factor=17 is not from 2 to 16"));
    QCOMPARE(why_not(plain(), "cut(C.i, width=4)", set),
             std::string("unknown_argument: cut has no argument 'width'"));
    QCOMPARE(why_not(plain(), "cut(C.i, C.j)", set),
             std::string("wrong_targets: cut takes a loop, not 2"));
    QCOMPARE(why_not(plain(), "cut(C.i, factor=many)", set),
             std::string("bad_argument: cut: factor must be a number"));
    QCOMPARE(why_not(plain(), "a = cut(C.i)", set),
             std::string("wrong_names: cut makes 2 loops, but 1 name is given"));
  }

  void an_argument_that_is_left_out_leaves_out_what_it_would_have_been() {
    MacroSet set = load_macros({});
    auto steps_of = [&](char const* line) {
      return in_primitives(plain(), applied(plain(), line, set).value().trace()).value();
    };
    Schedule packed = steps_of("pack_panels(C, C.i, tensor=B)");
    QVERIFY(!packed.trace()[0].step.arguments.contains("layout"));
    packed = steps_of("pack_panels(C, C.i, tensor=B, layout=BA4b)");
    QCOMPARE(packed.trace()[0].step.arguments.at("layout"), ArgumentValue(std::string("BA4b")));
  }

  void a_loop_that_was_cut_cannot_be_used_any_more() {
    MacroSet set({source("twice", "(loop i)\nsteps\nsplit(i, factor=2)\nparallel(i)\n")});
    QCOMPARE(why_not(plain(), "twice(C.i)", set),
             std::string("loop_gone: twice, line 5, parallel(i): the loop i became C.i.0 and "
                         "C.i.1"));
  }

  void a_macro_that_uses_itself_is_left_out_with_those_that_use_it() {
    MacroSet set({source("a", "(loop i)\nsteps\nb(i)\n"), source("b", "(loop i)\nsteps\na(i)\n"),
                  source("c", "(loop i)\nsteps\na(i)\n"), kCut});
    QCOMPARE(set.all().size(), size_t(1));
    QCOMPARE(set.errors().size(), size_t(3));
    QCOMPARE(to_sentence(set.errors()[0]),
             std::string("a.twm:2: a uses itself: a uses b, which uses a"));
    QCOMPARE(to_sentence(set.errors()[2]),
             std::string("c.twm:4:1: there is no primitive or macro 'a'"));
  }

  void macros_that_use_macros_come_to_a_bounded_number_of_steps() {
    std::vector<MacroSource> sources{source("m0", "(loop i)\nsteps\nunroll(i)\n")};
    for (int level = 1; level < 8; ++level) {
      std::string body = "(loop i)\nsteps\n";
      for (int line = 0; line < 4; ++line) body += "m" + std::to_string(level - 1) + "(i)\n";
      sources.push_back(source("m" + std::to_string(level), body));
    }
    // Each step refuses the second time; what counts is that the way there is short.
    MacroSet set(sources);
    QVERIFY(set.errors().empty());
    QVERIFY(
        why_not(plain(), "m7(C.i)", set).starts_with("loop_annotated: m7, line 4, m6(C.i): m6"));
    std::vector<MacroSource> long_ones{source(
        "s0", "(loop i) -> i.2\nsteps\ni.0, i.1 = split(i, factor=1)\ni.2 = fuse(i.0, i.1)\n")};
    for (int level = 1; level < 4; ++level) {
      std::string below = "s" + std::to_string(level - 1);
      std::string body = "(loop i) -> x9\nsteps\nx0 = " + below + "(i)\n";
      for (int line = 1; line < 10; ++line)
        body +=
            "x" + std::to_string(line) + " = " + below + "(x" + std::to_string(line - 1) + ")\n";
      long_ones.push_back(source("s" + std::to_string(level), body));
    }
    MacroSet many(long_ones);
    QVERIFY2(many.errors().empty(), first_error(long_ones).c_str());
    QCOMPARE(why_not(plain(), "s1(C.i)", many), std::string());
    QVERIFY(why_not(plain(), "s3(C.i)", many).starts_with("macro_too_long: "));
  }

  void what_is_wrong_with_a_file_is_said_with_its_place_data() {
    QTest::addColumn<QString>("rest");
    QTest::addColumn<QString>("sentence");
    auto row = [](char const* rest, char const* sentence) {
      QTest::newRow(sentence) << rest << sentence;
    };
    row("(loop i)\nsteps\nsplt(i)\n", "m.twm:4:1: there is no primitive or macro 'splt'");
    row("(loop i)\nsteps\nunroll(k)\n",
        "m.twm:4:8: 'k' is neither a target of m nor given by a step before");
    row("(block i)\nsteps\nunroll(i)\n", "m.twm:4:8: unroll takes a loop there, and i is a block");
    row("(block i)\nsteps\ncache_read(i)\n", "m.twm:4:1: cache_read needs tensor=...");
    row("(loop i)\nsteps\nsplit(i, factor=f)\n",
        "m.twm:4:17: split: factor must be a number, or a number among the parameters of m");
    row("(loop i)\nsteps\nsplit(i, factor=0)\n",
        "m.twm:4:10: split: factor=0 is not from 1 to 1099511627776");
    row("(loop i)\nsteps\ni, j = split(i, factor=2)\n", "m.twm:4:1: the name i is already used");
    row("(loop i) -> j\nsteps\nunroll(i)\n", "m.twm:2: no step gives the loop j");
    row("(loop i, loop i)\nsteps\nunroll(i)\n", "m.twm:2:22: the name i is already used");
    row("(i)\nsteps\nunroll(i)\n", "m.twm:2:9: expected 'loop' or 'block'");
    row("(loop i)\nnumber n from 4 to 2\nsteps\nunroll(i)\n",
        "m.twm:3:21: there is no number from 4 to 2");
    row("(loop i)\nnumber n from 1 to 4 = 8\nsteps\nunroll(i)\n",
        "m.twm:3:24: 8 is not from 1 to 4");
    row("(loop i)\nchoice c of a, b = d\nsteps\nunroll(i)\n", "m.twm:3:20: 'd' is none of a, b");
    row("(loop i)\nflavour f\nsteps\nunroll(i)\n",
        "m.twm:3:1: 'flavour' is none of title, doc, rewrite, number, choice, word, scope, axis, "
        "instruction, numbers and steps");
    row("(loop i)\nword i\nsteps\nunroll(i)\n", "m.twm:3:6: the name i is already used");
    row("(loop i)\ntitle\nsteps\nunroll(i)\n", "m.twm:3:6: expected a text in quotes after title");
    row("(loop i)\nnumber n counts k\nsteps\nunroll(i)\n",
        "m.twm:3:17: 'k' is not a loop of the macro's targets");
    row("(loop i)\n", "m.twm:2: a macro needs 'steps' and at least one step");
    row("(loop i)\nsteps\nunroll(i\n", "m.twm:4:9: expected ',', found 'end of line'");
    row("(loop i)\nsteps\nunroll(i, extra=1)\n", "m.twm:4:1: unroll has no argument 'extra'");
  }
  void what_is_wrong_with_a_file_is_said_with_its_place() {
    QFETCH(QString, rest);
    QFETCH(QString, sentence);
    QCOMPARE(QString::fromStdString(first_error({source("m", rest.toStdString())})), sentence);
  }

  void a_file_begins_with_its_kind_and_version() {
    QCOMPARE(first_error({{"m", "macro m(loop i)\nsteps\nunroll(i)\n"}}),
             std::string("m:1:1: expected 'tilewright', found 'macro'"));
    QCOMPARE(first_error({{"m", "tilewright macro 2\n"}}),
             std::string("m:1:19: this is macro version 2; only version 1 can be read"));
    QCOMPARE(first_error({{"m", ""}}),
             std::string("m:1: a macro starts with 'tilewright macro 1'"));
    QCOMPARE(first_error({source("split", "(loop i)\nsteps\nunroll(i)\n")}),
             std::string("split.twm:2: there is a primitive split already"));
    QCOMPARE(first_error({kCut, kCut}),
             std::string("cut.twm:2: there is a macro cut already, in cut.twm"));
  }

  void macros_of_a_folder_stand_beside_those_of_the_program() {
    QTemporaryDir folder;
    std::filesystem::path path = folder.path().toStdString();
    QVERIFY(write_file(path / "cut.twm", kCut.text));
    QVERIFY(write_file(path / "broken.twm", "tilewright macro 1\n"));
    QVERIFY(write_file(path / "notes.txt", "nothing"));
    std::filesystem::path const folders[] = {path, path / "not_there"};
    MacroSet set = load_macros(folders);
    QVERIFY(set.find("cut") && set.find("two_level_tile"));
    QCOMPARE(set.errors().size(), size_t(1));
    QVERIFY(set.errors()[0].place.file.ends_with("broken.twm"));
  }

  void damaged_files_are_refused_with_a_sentence_and_never_taken_for_others() {
    Rng rng(11);
    int read = 0;
    for (MacroSource const& one : builtin_macros())
      for (int i = 0; i < 3000; ++i) {
        auto macro = parse_macro(testing::mutate(one.text, rng), "damaged");
        if (!macro) {
          QVERIFY(!macro.error().message.empty());
          continue;
        }
        ++read;
        std::string text = to_text(*macro);
        auto again = parse_macro(text, "again");
        QVERIFY2(again, (text + (again ? "" : to_sentence(again.error()))).c_str());
        QCOMPARE(to_text(*again), text);
      }
    QVERIFY(read > 100);
  }
};

QTEST_APPLESS_MAIN(MacrosTest)
#include "macros_test.moc"
