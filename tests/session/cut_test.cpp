// A model over several devices, in a session: cut, moved, measured, kept in a project.
#include <QtTest>

#include "app/shared/devices.h"
#include "engine/session/facts/facts.h"
#include "engine/session/project/project.h"
#include "tests/device/test_server.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

class SessionCutTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    server_ = std::make_unique<test::TestServer>();
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
    list_ = folder_.filePath("devices.json").toStdString();
    QVERIFY(add_device(list_, {"board", server_->address(), "", ""}));
    Options options = testing::session_options(false, 1);
    options.open_device = [this](std::string const& name, StopToken stop) {
      return choose_device(list_, name, stop);
    };
    options.device_names = [this] { return device_names(list_); };
    session_ = Session::create(std::move(options)).value();
    do_now(OpenSample{"mobilenet"});
    groups_ = session_->snapshot().graph->groups.size();
    QVERIFY(groups_ > 20);
  }
  void cleanup() { session_.reset(); }

  void a_cut_says_at_once_what_runs_where_and_what_goes_over() {
    QVERIFY(!session_->snapshot().cut);
    QCOMPARE(session_->devices(), (std::vector<std::string>{"local", "board"}));
    do_now(CutAt{node(4), "board"});
    auto cut = session_->snapshot().cut;
    QVERIFY(cut && cut->places == (std::vector<std::string>{"local", "board"}));
    QCOMPARE(cut->points.size(), size_t(1));
    QCOMPARE(cut->points[0].group, 4);
    QCOMPARE(cut->place_of[3], 0);
    QCOMPARE(cut->place_of[4], 1);
    QCOMPARE(cut->place_of[groups_ - 1], 1);
    QCOMPARE(cut->copies, 2);  // one value there, the result back
    QVERIFY(cut->copied_bytes > 4000);
    do_now(CutAt{node(9), "local"});
    cut = session_->snapshot().cut;
    QCOMPARE(cut->points.size(), size_t(2));
    QCOMPARE(cut->place_of[9], 0);
    QCOMPARE(words("model.places"), std::string("local, board"));
    QCOMPARE(words("model.cut"), node(4) + "@board, " + node(9) + "@local");
    // An earlier beginning takes the later one in, which says nothing more.
    do_now(CutAt{node(2), "board"});
    QCOMPARE(session_->snapshot().cut->points.size(), size_t(2));
    QCOMPARE(session_->snapshot().cut->points[0].group, 2);
    do_now(MoveCut{node(2), node(6)});
    QCOMPARE(session_->snapshot().cut->points[0].group, 6);
    do_now(RemoveCut{});
    QVERIFY(!session_->snapshot().cut);
    QCOMPARE(words("model.cut"), std::string("none"));
  }

  void what_cannot_be_cut_is_said_and_changes_nothing() {
    do_now(CutAt{node(4), "board"});
    auto before = session_->snapshot().cut;
    QCOMPARE(code(CutAt{"nobody", "board"}), std::string("unknown_node"));
    QCOMPARE(code(CutAt{node(2), "moon"}), std::string("unknown_device"));
    QCOMPARE(code(MoveCut{node(7), node(2)}), std::string("no_cut_there"));
    QVERIFY(session_->snapshot().cut == before);
    do_now(OpenModel{"te:" + std::string(testing::kMatmul)});
    QVERIFY(!session_->snapshot().cut);
    QCOMPARE(code(CutAt{"matmul", "board"}), std::string("nothing_to_cut"));
    do_now(CloseModel{});
    QCOMPARE(code(CutAt{"matmul", "board"}), std::string("no_model"));
  }

  void a_cut_model_is_measured_on_its_devices() {
    do_now(MeasureModel{});
    double whole = session_->snapshot().kernels->total_ms.value();
    do_now(CutAt{node(4), "board"});
    auto now = session_->snapshot();
    QVERIFY(!now.kernels->total_ms);  // that was another model
    // What still runs here has its time, what runs there has none.
    QVERIFY(now.kernels->rows.front().time_ms && !now.kernels->rows.back().time_ms);
    QCOMPARE(now.cut->whole_ms.value(), whole);
    QVERIFY(!now.cut->ms);
    QVERIFY(!server_->said().contains("connected"));  // nobody was asked for a picture
    do_now(MeasureModel{});
    now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QCOMPARE(now.cut->ms.value(), now.kernels->total_ms.value());
    QCOMPARE(now.cut->whole_ms.value(), whole);
    QVERIFY(server_->said().contains("connected"));
    int here = 0, there = 0;
    for (KernelRow const& row : now.kernels->rows) {
      there += row.device == "board";
      here += row.device.empty();
      if (!row.device.empty()) QVERIFY(!row.fraction_of_roof);  // the roofs are of this machine
    }
    QVERIFY(here > 0 && there > 0);
    do_now(RemoveCut{});
    QCOMPARE(session_->snapshot().kernels->total_ms.value(), whole);
  }

  void a_device_that_is_away_costs_a_sentence_when_it_is_needed() {
    do_now(CutAt{node(4), "board"});
    server_.reset();
    do_now(MeasureModel{});
    Snapshot now = session_->snapshot();
    QVERIFY(now.error && now.error->sentence.find("cannot be reached") != std::string::npos);
    QVERIFY(now.cut && !now.cut->ms);
  }

  void a_project_keeps_the_cut_and_says_what_does_not_fit() {
    do_now(CutAt{node(4), "board"});
    do_now(CutAt{node(9), "local"});
    std::string saved = session_->save();
    do_now(RemoveCut{});
    QVERIFY(session_->restore(saved));
    QVERIFY(session_->wait_idle(60));
    QCOMPARE(words("model.cut"), node(4) + "@board, " + node(9) + "@local");
    Project project = parse_project(saved).value();
    QCOMPARE(project.cut.size(), size_t(2));
    project.cut[1].node = "gone";
    QVERIFY(session_->restore(to_text(project)));
    QVERIFY(session_->wait_idle(60));
    QCOMPARE(words("model.cut"), node(4) + "@board");
    auto error = session_->snapshot().error;
    QVERIFY(error && error->sentence.find("the cut at 'gone'") != std::string::npos);
    for (char const* cut :
         {"1", "[1]", "[{}]", R"([{"node":"a"}])", R"([{"node":1,"device":2}])"}) {
      std::string text =
          R"({"kind":"tilewright project","version":1,"cut":)" + std::string(cut) + "}";
      auto broken = parse_project(text);
      QVERIFY2(!broken && broken.error().code == "broken_project", cut);
    }
  }

  void another_device_in_use_is_the_first_place_then() {
    do_now(CutAt{node(4), "board"});
    do_now(UseDevice{"board"});
    QVERIFY(!session_->snapshot().cut);  // board from the start, and from there on
    do_now(CutAt{node(4), "local"});
    QCOMPARE(words("model.places"), std::string("board, local"));
    do_now(MeasureModel{});
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(now.cut->ms);
  }

  void the_graph_s_pictures_need_no_new_layout() {
    auto graph = session_->snapshot().graph;
    do_now(CutAt{node(4), "board"});
    QVERIFY(session_->snapshot().graph == graph);
  }

private:
  void do_now(Command const& command) {
    Status status = session_->execute(command);
    QVERIFY2(status, status ? "" : to_sentence(status.error()).c_str());
    QVERIFY(session_->wait_idle(120));
  }
  std::string code(Command const& command) {
    Status status = session_->execute(command);
    return status ? "" : status.error().code;
  }
  std::string node(int group) const {
    GraphView const& graph = *session_->snapshot().graph;
    for (GraphGroupView const& one : graph.groups)
      if (one.id == group) return graph.nodes[size_t(one.nodes.front())].name;
    return "";
  }
  std::string words(char const* name) const {
    auto value = fact(name, session_->snapshot(), {});
    return value ? std::get<std::string>(*value) : "";
  }

  QTemporaryDir folder_;
  std::string list_;
  size_t groups_ = 0;
  std::unique_ptr<test::TestServer> server_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(SessionCutTest)
#include "cut_test.moc"
