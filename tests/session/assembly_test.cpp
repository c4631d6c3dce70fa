// Assembly as it is shown: loops found in its text, the one that runs most, what is left out.
#include <QtTest>

#include "app/shared/environment.h"
#include "engine/session/code_cases.h"
#include "engine/session/facts/code_facts.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/session.h"
#include "engine/session/views/assembly_loops.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

CodeText text_of(std::string const& all, std::map<int, std::vector<int>> const& loops = {}) {
  CodeText text;
  for (QString const& line : QString::fromStdString(all).split('\n')) {
    CodeLine one{line.toStdString()};
    if (auto found = loops.find(int(text.lines.size())); found != loops.end())
      one.loops = found->second;
    text.lines.push_back(std::move(one));
  }
  return text;
}

/// A loop in a loop; the inner one's latch stands before its head, and it branches inside. Then a
/// loop of one line.
constexpr char kLoops[] =
    "f:\n"                                // 0
    " xorl %eax, %eax\n"                  // 1
    ".LBB0_1:\n"                          // 2
    " xorl %ebx, %ebx\n"                  // 3
    " jmp .LBB0_3\n"                      // 4
    ".LBB0_2:\n"                          // 5
    " incq %rbx\n"                        // 6
    " cmpq $3, %rbx\n"                    // 7
    " jge .LBB0_5\n"                      // 8
    ".LBB0_3:\n"                          // 9
    " testq %r15, %r15\n"                 // 10
    " jle .LBB0_2\n"                      // 11
    " vfmadd231ps %ymm1, %ymm2, %ymm0\n"  // 12
    " jmp .LBB0_2\n"                      // 13
    ".LBB0_5:\n"                          // 14
    " incq %rax\n"                        // 15
    " jne .LBB0_1\n"                      // 16
    ".LBB0_6:\n"                          // 17
    " vaddps %ymm1, %ymm2, %ymm0\n"       // 18
    " jne .LBB0_6\n"                      // 19
    " retq\n"                             // 20
    "g:\n"                                // 21
    " jmp .LBB1_1\n"                      // 22
    ".LBB1_1:\n"                          // 23
    " retq";                              // 24

}  // namespace

class AssemblyTest : public QObject {
  Q_OBJECT
private slots:
  void lines_are_instructions_labels_directives_or_nothing() {
    QCOMPARE(kind_of(" vmovups (%rdi), %ymm0"), AssemblyLine::kInstruction);
    QCOMPARE(kind_of(".LBB0_1:"), AssemblyLine::kLabel);
    QCOMPARE(kind_of(" .globl f"), AssemblyLine::kDirective);
    QCOMPARE(kind_of("  "), AssemblyLine::kNothing);
    QCOMPARE(kind_of("# a comment"), AssemblyLine::kNothing);
    QCOMPARE(jump_of(" jne .LBB0_1"), std::string_view(".LBB0_1"));
    QCOMPARE(jump_of(" cbnz x0, .LBB0_1"), std::string_view(".LBB0_1"));
    QCOMPARE(jump_of(" b.lt .LBB0_1"), std::string_view(".LBB0_1"));
    QCOMPARE(jump_of(" callq f"), std::string_view());
    QCOMPARE(jump_of(" leaq .LBB0_1(%rip), %rax"), std::string_view());
    QCOMPARE(jump_of(" retq"), std::string_view());
  }

  void loops_without_loops_inside_are_found_where_the_compiler_put_them() {
    auto loops = innermost_loops(text_of(kLoops), [](CodeLine const&) { return 1.0; });
    QCOMPARE(loops.size(), size_t(2));
    QCOMPARE(loops[0].lines, (std::vector<int32_t>{6, 7, 8, 10, 11, 12, 13}));
    QCOMPARE(loops[0].blocks, 3);
    QCOMPARE(loops[1].lines, (std::vector<int32_t>{18, 19}));
    QCOMPARE(loops[1].first, 18);
    QVERIFY(innermost_loops(text_of(" retq"), [](CodeLine const&) { return 1.0; }).empty());
  }

  void the_hot_loop_is_the_one_whose_instructions_run_most() {
    NestView nest;
    nest.bars = {{.id = 1, .extent = 10}, {.id = 2, .extent = 1000}};
    CodeText text = text_of(kLoops, {{12, {1}}, {18, {2}}});
    QCOMPARE(hot_loop(text, nest)->first, 18);
    QCOMPARE(hot_loop(text, nest)->runs, 1000.0);
    nest.bars[1].extent = 20;  // 2 x 20 against 7 x 10
    QCOMPARE(hot_loop(text, nest)->first, 6);
    // Iterations of a loop that is written out stand in the code beside each other.
    nest.bars[1].extent = 1000;
    nest.bars[1].mark = LoopMark::kUnroll;
    QCOMPARE(hot_loop(text, nest)->first, 6);
  }

  void directives_and_labels_that_nothing_names_are_left_out() {
    auto whole = std::make_shared<CodeText const>(
        text_of(" .globl f\nf:\n.LBB0_1:\n incq %rax\n jne .LBB0_1\n.LBB0_7:\n retq"));
    auto texts = [&](AssemblyLook look) {
      QStringList lines;
      ShownAssembly shown = shown_assembly(whole, nullptr, look);
      for (CodeLine const& line : shown.text->lines)
        lines << QString::fromStdString(line.text).trimmed();
      return lines.join("|");
    };
    QCOMPARE(texts({}), QString(".globl f|f:|.LBB0_1:|incq %rax|jne .LBB0_1|.LBB0_7:|retq"));
    QCOMPARE(texts({.directives = false}),
             QString("f:|.LBB0_1:|incq %rax|jne .LBB0_1|.LBB0_7:|retq"));
    QCOMPARE(texts({.labels = false}), QString(".globl f|f:|.LBB0_1:|incq %rax|jne .LBB0_1|retq"));
    auto shown = shown_assembly(whole, nullptr, {.directives = false, .labels = false});
    QCOMPARE(shown.lines, (std::vector<int32_t>{1, 2, 3, 4, 6}));
  }

  void intel_syntax_comes_with_the_report() {
    auto whole = std::make_shared<CodeText const>(text_of("f:\n incq %rax\n odd"));
    AssemblyReport report{.text = whole, .complete = true};
    report.instructions[1] = {.line = 1, .name = "incq", .intel = "\tinc\trax"};
    auto shown = shown_assembly(whole, &report, {.intel = true});
    QCOMPARE(shown.text->lines[1].text, std::string(" inc rax"));
    QCOMPARE(shown.text->lines[2].text, std::string(" odd"));
    report.complete = false;
    QCOMPARE(shown_assembly(whole, &report, {.intel = true}).text->lines[1].text,
             std::string(" incq %rax"));
  }

  void instructions_are_explained_in_sentences() {
    InstructionFacts facts{
        .name = "vfmadd231ps", .loads = true, .operations = 1, .latency = 11, .interval = 0.5};
    facts.reads = {"ymm0", "rdi"};
    facts.writes = {"ymm0"};
    QCOMPARE(explanation_of(facts),
             std::string("Multiplies two vectors and adds a third one, with one rounding.\n"
                         "Reads ymm0, rdi; reads memory; writes ymm0.\n"
                         "Modelled: 1 micro-operation, its result after 11 cycles, one can begin "
                         "every 0.5 cycles."));
    InstructionFacts store{.name = "vmovups", .stores = true};
    QCOMPARE(explanation_of(store), std::string("Stores a vector in memory.\nWrites memory.\n"
                                                "The processor's model has no cost for it."));
    QVERIFY(explanation_of({.name = "jne", .branches = true}).starts_with("Jumps if"));
    QVERIFY(explanation_of({.name = "movslq"}).starts_with("Copies a scalar with sign extension"));
    QVERIFY(explanation_of({.name = "oddity", .loads = true}).starts_with("Computes with"));
  }

  void heat_is_a_logarithm() {
    LoopModel loop;
    loop.lines = {{0, 10}, {1, 1}, {2, 0.001}};
    QCOMPARE(heat_of(10, loop), 1.0);
    QCOMPARE(heat_of(1, loop), 0.5);
    QCOMPARE(heat_of(0.001, loop), 0.0);
    QCOMPARE(heat_of(0, loop), 0.0);
  }

  void a_kernel_of_the_session_is_reported_and_its_passes_are_compared() {
    testing::MatmulFile file;
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenModel{file.path()}));
    QVERIFY(session->wait_idle(60));
    QVERIFY(session->execute(ApplyStep{"vectorize(C.j)"}) || true);
    QVERIFY(session->wait_idle(60));
    std::shared_ptr<AssemblyReport const> report;
    auto complete = [&] {
      report = assembly_report(*session);
      return report && report->complete;
    };
    QTRY_VERIFY_WITH_TIMEOUT(complete(), 20000);
    QVERIFY2(report->failure.empty(), report->failure.c_str());
    QVERIFY(report->hot);
    QVERIFY(report->text == session->code("assembly", false));
    QVERIFY(report->instructions.size() > 10);
    QCOMPARE(assembly_report(*session), report);  // memoized
    if (report->loop.failure.empty()) {
      QVERIFY(report->loop.cycles > 0);
      auto fact = code_fact("assembly.loop_cycles", *session);
      QVERIFY(fact && std::get<double>(*fact) == report->loop.cycles);
    }
    std::shared_ptr<std::vector<PassChange> const> changes;
    auto compared = [&] { return bool(changes = pass_changes(*session)); };
    QTRY_VERIFY_WITH_TIMEOUT(compared(), 20000);
    auto stages = session->snapshot().code_stages;
    size_t passes = size_t(std::ranges::count(*stages, CodeKind::kPass, &CodeStage::kind));
    QCOMPARE(changes->size(), passes);
    auto of = [&](char const* key) {
      return *std::ranges::find(*changes, std::string(key), &PassChange::key);
    };
    QVERIFY(of("lower_blocks").changed());
    QVERIFY(!of("bound_symbolic_loops").changed());
  }

  void a_text_is_made_once_for_a_program_whoever_asks_for_it() {
    testing::MatmulFile file;
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenModel{file.path()}));
    QVERIFY(session->wait_idle(60));
    QVERIFY(!session->code("program", false));
    QVERIFY(session->wait_idle(60));
    auto plain = session->code("program", false);
    QVERIFY(plain && plain->program_hash != 0);
    QCOMPARE(session->code_of(session->snapshot().history->current, "program", -1), plain);
    QVERIFY(session->execute(ApplyStep{"unroll(C.k)"}));
    QVERIFY(!session->code("program", true));  // it needs the text alone, which stays
    QVERIFY(session->wait_idle(60));
    auto changed = session->code("program", true);
    QVERIFY(changed && std::ranges::any_of(changed->lines, [](CodeLine const& line) {
              return line.change != LineChange::kSame;
            }));
    QVERIFY(session->code("program", false));
    QVERIFY(session->execute(Undo{}));
    QCOMPARE(session->code("program", false), plain);
    QVERIFY(!session->code("no such stage", false));
    QVERIFY(session->wait_idle(60));
    QVERIFY(!session->code("no such stage", false)->failure.empty());
  }

  void remarks_are_a_stage_and_stand_below_lines_of_the_program() {
    testing::MatmulFile file;
    Environment environment = make_environment().value();
    Model model = load_model(file.path(), {}, *environment.backend).value();
    auto text = lower_kernel(*model, 0, {}, "remarks", *environment.backend);
    QVERIFY2(text, text ? "" : to_sentence(text.error()).c_str());
    QCOMPARE(text->kind, CodeKind::kRemarks);
    QVERIFY(text->lines.size() > 2);
    int linked = 0;
    for (CodeLine const& line : text->lines) linked += line.source_line > 0 && !line.loops.empty();
    QVERIFY(linked > 0);
    QVERIFY(text->title.find(" passed, ") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(AssemblyTest)
#include "assembly_test.moc"
