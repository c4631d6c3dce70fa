// A session whose kernels run on another device: chosen, lost, left again.
#include <QtTest>

#include "app/shared/devices.h"
#include "app/shared/environment.h"
#include "engine/session/project/project.h"
#include "engine/session/session.h"
#include "tests/device/test_server.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";

}  // namespace

class SessionDeviceTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    server_ = std::make_unique<test::TestServer>();
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
    list_ = folder_.filePath("devices.json").toStdString();
    QVERIFY(add_device(list_, {"board", server_->address(), "", ""}));
    auto environment = make_environment().value();
    session_ = Session::create({environment.backend,
                                testing::built("/bin/tw-device"),
                                environment.cache_folder.string(),
                                1,
                                true,
                                [this](std::string const& name, StopToken stop) {
                                  return choose_device(list_, name, stop, logs_.of(name));
                                },
                                {},
                                logs_.of("local")})
                   .value();
    std::string file = folder_.filePath("m.te").toStdString();
    std::ofstream(file) << kProduct;
    QVERIFY(session_->execute(OpenModel{file}));
    QVERIFY(session_->wait_idle(60));
    QVERIFY(session_->execute(ApplyStep{"vectorize(C.j)"}));
    QVERIFY(session_->wait_idle(60));
  }
  void cleanup() { session_.reset(); }

  void kernels_run_on_the_device_that_was_chosen_and_steps_stay() {
    std::string script = session_->script();
    QVERIFY(session_->execute(UseDevice{"board"}));
    QVERIFY(session_->wait_idle(60));
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(now.machine->name.starts_with("board · "));
    QVERIFY(session_->script() == script);
    auto const& node = now.history->nodes[size_t(now.history->current)];
    QVERIFY(node.min_ms && node.verdict == Verdict::kCorrect);
    QVERIFY(server_->said().contains("connected"));
  }

  void each_state_has_a_time_for_each_device_that_measured_it() {
    int step = session_->snapshot().history->current;
    QCOMPARE(session_->snapshot().history->device, std::string("local"));
    double here = *session_->snapshot().history->nodes[size_t(step)].min_ms;
    QVERIFY(session_->execute(UseDevice{"board"}));
    QVERIFY(session_->wait_idle(60));
    Snapshot now = session_->snapshot();
    QCOMPARE(now.history->device, std::string("board"));
    QCOMPARE(now.history->current, step);
    auto const& node = now.history->nodes[size_t(step)];
    QCOMPARE(node.elsewhere.size(), size_t(1));
    QCOMPARE(node.elsewhere[0].device, std::string("local"));
    QCOMPARE(*node.elsewhere[0].min_ms, here);
    double there = *node.min_ms;
    QVERIFY(session_->execute(UseDevice{"local"}));
    QVERIFY(session_->wait_idle(60));
    now = session_->snapshot();
    QCOMPARE(*now.history->nodes[size_t(step)].min_ms, here);  // it was not forgotten
    QCOMPARE(*now.history->nodes[size_t(step)].elsewhere.at(0).min_ms, there);
    QCOMPARE(now.history->nodes[size_t(step)].elsewhere[0].device, std::string("board"));
    int defaults = 0;  // both devices have the same rules, so the schedule by rule is one
    for (auto const& one : now.history->nodes) defaults += one.label.starts_with("default");
    QCOMPARE(defaults, 1);
  }

  void devices_are_asked_once_and_again_when_somebody_wants_it() {
    auto asked = std::make_shared<std::atomic<int>>(0);
    Options options;
    options.backend = make_environment().value().backend;
    options.device_program = testing::built("/bin/tw-device");
    options.measure = false;
    options.device_names = [] { return std::vector<std::string>{"board"}; };
    options.open_device = [asked](std::string const&, StopToken) -> Result<ChosenDevice> {
      ++*asked;
      return environment_failed("no_answer", "it does not answer");
    };
    auto session = Session::create(options).value();
    QVERIFY(!session->device_choices(false));
    QVERIFY(session->wait_idle(60));
    auto first = session->device_choices(false);
    QVERIFY(first && first->size() == 1);
    QCOMPARE(first->front().name, std::string("board"));
    QVERIFY(first->front().trouble.find("does not answer") != std::string::npos);
    QCOMPARE(session->device_choices(false), first);
    QCOMPARE(asked->load(), 1);
    QVERIFY(!session->device_choices(true));
    QVERIFY(session->wait_idle(60));
    QVERIFY(session->device_choices(false));
    QCOMPARE(asked->load(), 2);
  }

  void one_state_is_compared_on_two_devices() {
    int step = session_->snapshot().history->current;
    QVERIFY(!session_->compare_devices(step, "local", "board"));
    QVERIFY(session_->execute(UseDevice{"board"}));
    QVERIFY(session_->wait_idle(60));
    auto both = session_->compare_devices(step, "local", "board");
    QVERIFY(both && both->before.device == "local" && both->after.device == "board");
    QCOMPARE(both->values[0].name, std::string("measured time"));
    QVERIFY(*both->values[0].before > 0 && *both->values[0].after > 0);
    QVERIFY(both->summary.find("local takes") != std::string::npos);
    QVERIFY(!session_->compare_devices(step, "local", "nowhere"));
    QVERIFY(!session_->compare_devices(99, "local", "board"));
    (void)session_->compare(0, step);
    QVERIFY(session_->wait_idle(60));
    auto states = session_->compare(0, step);  // two states on both devices
    QVERIFY(states);
    auto row = std::ranges::find(states->values, std::string("measured time on local"),
                                 &ComparedValue::name);
    QVERIFY(row != states->values.end() && row->before && row->after);
  }

  void a_project_keeps_the_times_of_both_devices() {
    QVERIFY(session_->execute(UseDevice{"board"}));
    QVERIFY(session_->wait_idle(60));
    auto before = session_->snapshot();
    QVERIFY(session_->restore(session_->save()));
    QVERIFY(session_->wait_idle(60));
    auto after = session_->snapshot();
    auto const &one = before.history->nodes[size_t(before.history->current)],
               &two = after.history->nodes[size_t(after.history->current)];
    QCOMPARE(*two.min_ms, *one.min_ms);
    QCOMPARE(*two.elsewhere.at(0).min_ms, *one.elsewhere.at(0).min_ms);
    auto summary = summary_of(parse_project(session_->save()).value());
    QCOMPARE(summary.at(0).times.size(), size_t(2));
  }

  void what_happens_on_a_device_is_written_down() {
    QVERIFY(session_->execute(UseDevice{"board"}));
    QVERIFY(session_->wait_idle(60));
    std::vector<std::string> words;
    double last = 0;
    for (DeviceEvent const& event : logs_.of("board")->events()) {
      words.push_back(word_of(event.kind));
      QVERIFY(event.unix_seconds >= last && !event.text.empty());
      last = event.unix_seconds;
    }
    for (char const* word : {"connected", "loaded", "timed"})
      QVERIFY2(std::ranges::find(words, word) != words.end(), word);
    QVERIFY(logs_.of("local")->count() > 0);
    server_.reset();
    QVERIFY(session_->execute(MeasureAgain{}));
    QVERIFY(session_->wait_idle(60));
    auto events = logs_.of("board")->events();
    QVERIFY(std::ranges::any_of(events,
                                [](auto const& e) { return e.kind == DeviceEvent::Kind::kLost; }));
  }

  void a_device_that_is_lost_costs_a_sentence_and_comes_back() {
    QVERIFY(session_->execute(UseDevice{"board"}));
    QVERIFY(session_->wait_idle(60));
    QString address = QString::fromStdString(server_->address());
    std::string script = session_->script();
    server_.reset();
    QVERIFY(session_->execute(MeasureAgain{}));
    QVERIFY(session_->wait_idle(60));
    QVERIFY(session_->snapshot().error);
    QVERIFY(session_->snapshot().error->sentence.find("cannot be reached: nothing listens there") !=
            std::string::npos);
    QVERIFY(session_->script() == script);
    server_ = std::make_unique<test::TestServer>(QStringList(), address);
    QVERIFY(session_->execute(DismissRefusal{}));
    QVERIFY(session_->execute(MeasureAgain{}));
    QVERIFY(session_->wait_idle(60));
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(now.history->nodes[size_t(now.history->current)].verdict == Verdict::kCorrect);
  }

  void a_device_that_does_not_answer_changes_nothing() {
    QVERIFY(add_device(list_, {"gone", "127.0.0.1:1", "", ""}));
    std::string machine = session_->snapshot().machine->name;
    for (char const* name : {"gone", "nope"}) {
      QVERIFY(session_->execute(UseDevice{name}));
      QVERIFY(session_->wait_idle(60));
      QVERIFY(session_->snapshot().error);
      QVERIFY(session_->snapshot().machine->name == machine);
    }
    QVERIFY(session_->execute(MeasureAgain{}));
    QVERIFY(session_->wait_idle(60));
    Snapshot now = session_->snapshot();
    QVERIFY(now.history->nodes[size_t(now.history->current)].verdict == Verdict::kCorrect);
  }

  void this_machine_is_chosen_again() {
    for (char const* name : {"board", "local"}) {
      QVERIFY(session_->execute(UseDevice{name}));
      QVERIFY(session_->wait_idle(60));
    }
    QVERIFY(session_->snapshot().machine->name.starts_with("This machine · "));
    QTRY_VERIFY(server_->workers().empty());
  }

private:
  QTemporaryDir folder_;
  std::string list_;
  DeviceLogs logs_;
  std::unique_ptr<test::TestServer> server_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(SessionDeviceTest)
#include "device_test.moc"
