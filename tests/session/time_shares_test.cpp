// Shares of the modelled time: of blocks they are 1 together, of a loop those of what is inside,
// and lines of code show them.
#include <QtTest>

#include <thread>

#include "engine/session/session.h"
#include "engine/session/time_shares.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/schedule_views.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr char kTwo[] =
    "tilewright te 1\n"
    "kernel two(A: f32[64, 64], B: f32[64, 64]) -> D\n"
    "  C[i in 64, j in 64] = sum[k in 64] A[i, k] * B[k, j]\n"
    "  D[i in 64, j in 64] = C[i, j] + 1.0\n";

MachineView machine(Backend const& backend) {
  MachineView view;
  view.hardware = std::make_shared<Hardware const>(backend.target().hardware);
  Roofs rates;
  rates.compute = {{"FMA f32", "vector", "f32", {100, 200, 0}},
                   {"FMA f32 scalar", "scalar", "f32", {10, 20, 0}}};
  for (char const* name : {"L1", "L2", "L3", "DRAM"})
    rates.memory.push_back({name, 1 << 14, {100, 200, 0}, {100, 200, 0}});
  view.rates = std::make_shared<Roofs const>(rates);
  return view;
}

double sum_of(std::vector<double> const& all) {
  double sum = 0;
  for (double one : all) sum += std::max(0.0, one);
  return sum;
}

}  // namespace

class TimeSharesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    backend_ = make_environment().value().backend;
    auto model = load_model("te:" + std::string(kTwo), {}, *backend_);
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    model_ = *model;
  }

  void blocks_share_the_time_and_loops_have_what_is_inside() {
    TimeShares shares = of("");
    QCOMPARE(shares.blocks.size(), size_t(2));
    QVERIFY(std::abs(sum_of(shares.blocks) - 1) < 1e-9);
    // 64 sums for each element against one: the product takes most.
    QVERIFY2(shares.blocks[0] > 0.9, qPrintable(QString::number(shares.blocks[0])));
    CodeText text = program("");
    for (CodeLine const& line : text.lines)
      if (line.loop >= 0 && line.loops.size() == 1)
        QCOMPARE(shares.loops.at(line.loop), shares.blocks[line.loop == outermost(text) ? 0 : 1]);
  }

  /// The sum's block in the other one's loops: the loop around both has all.
  void a_loop_around_both_has_all() {
    std::string script = "tilewright schedule 1\ncompute_at(C, D.i)\n";
    TimeShares shares = of(script);
    CodeText text = program(script);
    QVERIFY(std::abs(shares.loops.at(outermost(text)) - 1) < 1e-9);
    std::vector<double> lines = shares_of_lines(text, shares);
    double of_blocks = 0;
    int with = 0;
    for (size_t i = 0; i < lines.size(); ++i)
      if (text.lines[i].loop < 0 && lines[i] >= 0) of_blocks += lines[i], ++with;
    QCOMPARE(with, 2);  // the first line of each block
    QVERIFY(std::abs(of_blocks - 1) < 1e-9);
  }

  /// Sixteen lines that came of one share its time.
  void copies_of_a_line_share_its_time() {
    std::string script =
        "tilewright schedule 1\nsplit(C.j, factor=16)\nreorder(C.k, C.j.1)\nunroll(C.j.1)\n";
    TimeShares shares = of(script);
    auto text = lower_kernel(*model_, 0, {"test", script}, "unroll_loops", *backend_);
    QVERIFY2(text.has_value(), text ? "" : text.error().message.c_str());
    std::vector<double> lines = shares_of_lines(*text, shares);
    double most = 0, all = 0;
    for (size_t i = 0; i < lines.size(); ++i)
      if (text->lines[i].loop < 0 && lines[i] > 0) most = std::max(most, lines[i]), all += lines[i];
    QVERIFY2(std::abs(all - 1) < 0.05, qPrintable(QString::number(all)));
    QVERIFY2(most <= shares.blocks[0] / 8, qPrintable(QString::number(most)));
  }

  void code_of_the_machine_has_none() {
    auto text = lower_kernel(*model_, 0, {"plain", ""}, "assembly", *backend_);
    QVERIFY(text.has_value());
    for (double share : shares_of_lines(*text, of(""))) QVERIFY(share < 0);
  }

  void a_session_shares_out_the_current_state() {
    auto session = testing::make_session(true);
    testing::MatmulFile file;
    file.open(*session);
    std::shared_ptr<TimeShares const> shares;
    for (int i = 0; i < 60000 && !shares; ++i) {
      shares = session::time_shares(*session);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    QVERIFY(shares && shares->known());
    QCOMPARE(shares->program_hash, session->snapshot().nest->program_hash);
    QCOMPARE(session::time_shares(*session), shares);
  }

private:
  TimeShares of(std::string const& script) const {
    return time_shares(*model_, 0, script, "test", machine(*backend_), *backend_).value();
  }
  CodeText program(std::string const& script) const {
    return lower_kernel(*model_, 0, {"test", script}, "program", *backend_).value();
  }
  static int outermost(CodeText const& text) {
    for (CodeLine const& line : text.lines)
      if (line.loop >= 0) return line.loop;
    return -1;
  }

  std::shared_ptr<Backend const> backend_;
  Model model_;
};

QTEST_GUILESS_MAIN(TimeSharesTest)
#include "time_shares_test.moc"
