// Projects: the file both ways, what cannot be read, models that moved, changed or are gone, and
// histories that no longer fit.
#include <QtTest>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/session/project/project.h"
#include "engine/session/session.h"
#include "engine/support/files.h"
#include "engine/support/sha256.h"
#include "tests/support/external_model.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

using Json = nlohmann::ordered_json;

constexpr char kMatmul[] =
    "tilewright te 1\n"
    "kernel matmul(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";
constexpr char kOther[] =
    "tilewright te 1\n"
    "kernel matmul(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[row in 32, j in 40] = sum[k in 24] A[row, k] * B[k, j]\n";

std::string sentence_of(std::string const& text) {
  auto project = parse_project(text, "f");
  return project ? "" : to_sentence(project.error());
}

}  // namespace

class ProjectTest : public QObject {
  Q_OBJECT
private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void the_hash_is_that_of_the_standard() {
    QCOMPARE(sha256(""),
             std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    QCOMPARE(sha256("abc"),
             std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QCOMPARE(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
             std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    std::string million(1'000'000, 'a');
    QCOMPARE(sha256(million),
             std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    for (size_t piece : {1, 7, 63, 64, 65, 1000}) {  // in pieces as at once, also against Qt's
      Sha256 hash;
      std::string text = million.substr(0, 3001);
      for (size_t at = 0; at < text.size(); at += piece)
        hash.add(std::string_view(text).substr(at, piece));
      QCOMPARE(QByteArray::fromStdString(hash.finish()),
               QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256)
                   .toHex());
    }
    write("million", million);
    QCOMPARE(sha256_of_file(at("million")).value(), sha256(million));
    QVERIFY(!sha256_of_file(at("nothing")));
  }

  void what_is_written_is_read_back() {
    Project project = parse_project(saved_matmul()).value();
    project.window = {{"theme", "light"}, {"panes upper", "1 2 3"}, {"odd", "\" \\ \n ä"}};
    project.devices = {{"a \"board\"", "rv64"}};
    project.on_kinds = {{.kernel = "matmul",
                         .kind = "cpu; \"board\"",
                         .machine = "board, NEON",
                         .script = "vectorize(C.j)\n",
                         .device = "b",
                         .hardware = "board, 2 threads",
                         .ms = 0.25,
                         .note = "trial 7"},
                        {.kernel = "matmul", .kind = "cpu; other", .at = KindSchedule::At::kRule}};
    project.saved = "2026-11-21T14:08:35Z";
    std::string text = to_text(project);
    Project again = parse_project(text).value();
    QCOMPARE(to_text(again), text);
    QCOMPARE(again.window, project.window);
    QCOMPARE(again.devices, project.devices);
    QCOMPARE(again.on_kinds, project.on_kinds);
    auto damaged = [&](std::string const& from, std::string const& to) {
      std::string other = text;
      other.replace(other.find(from), from.size(), to);
      auto read = parse_project(other);
      return read ? std::string() : read.error().code;
    };
    QCOMPARE(damaged("\"at\": \"default\"", "\"at\": \"moon\""), std::string("broken_project"));
    QCOMPARE(damaged("\"at\": \"default\"", "\"at\": \"rule\""), std::string());  // its former word
    QCOMPARE(damaged("\"cpu; other\"", "\"\""), std::string("broken_project"));
    QCOMPARE(damaged("\"board, NEON\"", "7"), std::string("broken_project"));
    QCOMPARE(again.kernels.size(), size_t(1));
    QCOMPARE(again.kernels[0].script, project.kernels[0].script);
    QCOMPARE(again.model.sha256, sha256(kMatmul));
    QCOMPARE(again.model.bytes, int64_t(sizeof kMatmul - 1));
  }

  void words_that_are_no_utf8_do_no_harm() {
    Project project;
    project.model.source = "/models/\xff\xfe.onnx";
    project.kernels.push_back({"k\xc3", "\x80", std::make_shared<Json const>(Json::object())});
    QVERIFY(parse_project(to_text(project)));
  }

  void rubbish_is_one_sentence() {
    QCOMPARE(sentence_of(""), "f: this is not a Tilewright project");
    QCOMPARE(sentence_of("\x7f\x45LF"), "f: this is not a Tilewright project");
    QCOMPARE(sentence_of("[]"), "f: this is not a Tilewright project");
    QCOMPARE(sentence_of("{\"kind\": 3}"), "f: this is not a Tilewright project");
    std::string good = saved_matmul();
    QCOMPARE(sentence_of(good.substr(0, good.size() / 2)),
             "f: the project cannot be read: it is truncated or damaged");
    QCOMPARE(sentence_of(with("\"version\": 1", "\"version\": \"x\"")),
             "f: the project is damaged: its version is missing");
    QCOMPARE(sentence_of(with("\"kernels\": [", "\"kernels\": 3, \"other\": [")),
             "f: the project is damaged: its kernels are not a list");
    QCOMPARE(sentence_of(with("\"name\": \"matmul\"", "\"nome\": \"matmul\"")),
             "f: the project is damaged: kernel 0 has no name");
    QCOMPARE(sentence_of(with("\"sha256\": \"", "\"sha256\": \"x")),
             "f: the project is damaged: the hash of its model is not valid");
    std::string deep(100'000, '[');
    deep += std::string(100'000, ']');
    QCOMPARE(sentence_of("{\"kind\": \"tilewright project\", \"version\": 1, \"kernels\": "
                         "[{\"name\": \"a\", \"history\": {\"x\": " +
                         deep + "}}]}"),
             "f: the project is damaged: its lists are nested too deeply");
  }

  void a_newer_version_is_refused_in_a_sentence() {
    QCOMPARE(sentence_of("{\"kind\": \"tilewright project\", \"version\": 4, \"written_by\": "
                         "\"tilewright 3.0\"}"),
             "f: the project has version 4, written by tilewright 3.0; this version of Tilewright "
             "reads up to version 1");
  }

  void a_model_is_found_where_it_was_beside_or_by_its_content() {
    std::string text = saved_matmul();
    Project project = parse_project(text).value();
    using State = FoundModel::State;
    auto look = [&] { return find_model(project, at("elsewhere/p.twproj")); };
    QVERIFY(QDir(folder_->path()).mkpath("elsewhere/models"));
    QCOMPARE(look().state, State::kFound);
    QVERIFY(QFile::rename(path("m.te"), path("elsewhere/m.te")));
    QCOMPARE(look().state, State::kMoved);
    QCOMPARE(look().source, at("elsewhere/m.te"));
    project.model.beside = "models/n.te";
    QVERIFY(QFile::rename(path("elsewhere/m.te"), path("elsewhere/models/n.te")));
    QCOMPARE(look().source, at("elsewhere/models/n.te"));
    QVERIFY(QFile::rename(path("elsewhere/models/n.te"), path("elsewhere/another.te")));
    QCOMPARE(look().state, State::kMoved);  // by its content
    QCOMPARE(look().source, at("elsewhere/another.te"));
    QVERIFY(QFile::remove(path("elsewhere/another.te")));
    QCOMPARE(look().state, State::kMissing);
    QVERIFY2(look().sentence.starts_with("the model m.te is missing: it was at " + at("m.te") +
                                         ", SHA-256 "),
             look().sentence.c_str());
    write("m.te", kOther);
    QCOMPARE(look().state, State::kChanged);
    QCOMPARE(look().source, at("m.te"));
    project.model.source = "sample:resnet18";
    QCOMPARE(look().state, State::kFound);
  }

  void a_history_that_fits_nothing_any_more_is_kept_and_said() {
    std::string saved = saved_matmul();
    write("m.te", std::string(kMatmul).replace(std::string(kMatmul).find("matmul"), 6, "product"));
    auto session = make_session();
    QVERIFY(session->restore(saved));
    QVERIFY(session->wait_idle(30));
    QVERIFY(session->snapshot().nest);
    QVERIFY(session->snapshot().error);
    QCOMPARE(
        session->snapshot().error->sentence,
        std::string("the history of kernel matmul cannot be used: the model has no such kernel"));
    Project again = parse_project(session->save()).value();
    QCOMPARE(again.kernels.size(), size_t(2));
    QCOMPARE(again.kernels[1].name, std::string("matmul"));
    QCOMPARE(again.kernels[1].history->dump(),
             parse_project(saved).value().kernels[0].history->dump());
    // With the old model it is there again.
    write("m.te", kMatmul);
    auto later = make_session();
    QVERIFY(later->restore(session->save()));
    QVERIFY(later->wait_idle(30));
    QCOMPARE(later->snapshot().history->nodes.back().step, std::string("parallel(C.i)"));
    QCOMPARE(later->snapshot().history->nodes.back().note, std::string("mine"));
  }

  void a_step_that_is_refused_today_keeps_the_whole_history() {
    std::string saved = saved_matmul();
    write("m.te", kOther);  // the same kernel, its loop has another name
    auto session = make_session();
    QVERIFY(session->restore(saved));
    QVERIFY(session->wait_idle(30));
    QVERIFY(session->snapshot().error->sentence.starts_with(
        "the history of kernel matmul cannot be used: "));
    QCOMPARE(parse_project(session->save()).value().kernels.back().history->dump(),
             parse_project(saved).value().kernels[0].history->dump());
  }

  void weights_beside_the_model_belong_to_it() {
    testing::ExternalModel model;
    std::filesystem::path file = model.write(folder_->path().toStdString());
    Project project = saved(file);
    QCOMPARE(project.model.files.size(), size_t(1));
    QCOMPARE(project.model.files[0].sha256, sha256(model.weights));
    QVERIFY(parse_project(to_text(project)).value().model.files == project.model.files);
    std::string home = at("p.twproj");
    QVERIFY(find_model(project, home).state == FoundModel::State::kFound);
    std::string other = model.weights;
    other[40] ^= 1;
    write("small.weights", other);
    FoundModel found = find_model(project, home);
    QVERIFY(found.state == FoundModel::State::kChanged && found.source == file.string());
    QVERIFY2(found.sentence.find("small.weights of the model have changed") != std::string::npos,
             found.sentence.c_str());
    std::filesystem::remove(at("small.weights"));
    found = find_model(project, home);
    QVERIFY(found.state == FoundModel::State::kMissing);
    QVERIFY2(found.sentence.starts_with("the weights small.weights of the model"),
             found.sentence.c_str());
  }

  void a_project_with_its_model_needs_no_other_file() {
    testing::ExternalModel model;
    std::filesystem::path file = model.write(folder_->path().toStdString());
    Project project = saved(file);
    QVERIFY(embed_model(project));
    Project read = parse_project(to_text(project)).value();
    QVERIFY(read.model.embedded());
    std::filesystem::remove(file);
    std::filesystem::remove(at("small.weights"));
    auto copy = unpack_model(read, at("copies"));
    QVERIFY2(copy, copy ? "" : to_sentence(copy.error()).c_str());
    QCOMPARE(read_file(*copy).value(), model.apart);
    QCOMPARE(read_file(std::filesystem::path(*copy).parent_path() / "small.weights").value(),
             model.weights);
    read.model.source = *copy;
    auto session = make_session();
    QVERIFY(session->restore(to_text(read)));
    QVERIFY(session->wait_idle(60));
    QVERIFY(session->snapshot().model && !session->snapshot().error);
    QCOMPARE(unpack_model(read, at("copies")).value(), *copy);  // once more: it is there
  }

  void a_damaged_copy_of_a_model_is_a_sentence() {
    testing::ExternalModel model;
    Project project = saved(model.write(folder_->path().toStdString()));
    QCOMPARE(unpack_model(project, at("c")).error().code, std::string("not_embedded"));
    QVERIFY(embed_model(project));
    auto code = [&](auto change) {
      Project damaged = project;
      change(damaged.model);
      QTemporaryDir fresh;  // what lies there already is not unpacked again
      auto copy = unpack_model(damaged, fresh.path().toStdString());
      return copy ? std::string("unpacked") : copy.error().code;
    };
    QCOMPARE(code([](auto& m) { m.packed = "rub!"; }), std::string("broken_project"));
    QCOMPARE(code([](auto& m) { m.packed = "AAAA"; }), std::string("broken_project"));
    QCOMPARE(code([](auto& m) { m.files[0].packed.resize(m.files[0].packed.size() / 8 * 4); }),
             std::string("broken_project"));
    QCOMPARE(code([](auto& m) { m.bytes += 1; }), std::string("broken_project"));
    QCOMPARE(code([](auto& m) { m.bytes = int64_t(1) << 60; }), std::string("broken_project"));
    QCOMPARE(code([](auto& m) { m.sha256[3] = m.sha256[3] == 'a' ? 'b' : 'a'; }),
             std::string("broken_project"));
    QCOMPARE(code([](auto& m) { m.files[0].name = "../../x"; }), std::string("broken_project"));
    project.model.files[0].name = "../x";
    QVERIFY(!parse_project(to_text(project)));
    Project sample;
    sample.model.source = "sample:dqn";
    QCOMPARE(embed_model(sample).error().code, std::string("nothing_to_embed"));
  }

  void a_summary_counts_steps_and_finds_the_best_time() {
    Project project = parse_project(saved_matmul()).value();
    Json history = *project.kernels[0].history;
    Json& nodes = history["nodes"];
    auto summarized = [&] {
      project.kernels[0].history = std::make_shared<Json const>(history);
      return summary_of(project);
    };
    nodes[0]["measured"] = {{"min_ms", 8.0}, {"spread", 0.0}, {"gflops", 1.0}};
    nodes[1]["measured"] = {{"min_ms", 2.0}, {"spread", 0.0}, {"gflops", 4.0}};
    auto summary = summarized();
    QCOMPARE(summary.size(), size_t(1));
    QCOMPARE(summary[0].times.size(), size_t(1));  // an earlier version: it did not say where
    QCOMPARE(summary[0].times[0].plain_ms, 8.0);
    QCOMPARE(summary[0].times[0].best_ms, 2.0);
    QCOMPARE(summary[0].steps, int(nodes.size()) - 1);
    QCOMPARE(summary[0].notes, std::vector<std::string>{"mine"});
    for (char const* device : {"local", "board"})
      nodes[1]["trials"].push_back({{"device", device},
                                    {"machine", "M"},
                                    {"measured", {{"min_ms", *device == 'b' ? 3.0 : 1.0}}}});
    summary = summarized();
    QCOMPARE(summary[0].times.size(), size_t(3));
    QCOMPARE(summary[0].times[2].device, std::string("board"));
    QCOMPARE(summary[0].times[2].best_ms, 3.0);
    history = {{"nodes", {3, "x", {{"measured", 4}}}}};
    QVERIFY(summarized()[0].times.empty());
    project.kernels[0].history = nullptr;
    QCOMPARE(summary_of(project)[0].steps, 0);
  }

private:
  std::unique_ptr<Session> make_session() { return testing::make_session(false); }
  Project saved(std::filesystem::path const& model) {
    auto session = make_session();
    (void)session->execute(OpenModel{model.string()});
    session->wait_idle(60);
    return parse_project(session->save()).value();
  }
  /// A project of one kernel with one step and a note on it.
  std::string saved_matmul() {
    write("m.te", kMatmul);
    auto session = make_session();
    (void)session->execute(OpenModel{at("m.te")});
    session->wait_idle(30);
    (void)session->execute(ApplyStep{"parallel(C.i)"});
    (void)session->execute(SetNote{session->snapshot().history->current, "mine"});
    session->wait_idle(30);
    return session->save();
  }
  std::string with(std::string const& from, std::string const& to) {
    std::string text = saved_matmul();
    return text.replace(text.find(from), from.size(), to);
  }
  QString path(char const* name) const { return folder_->filePath(name); }
  std::string at(char const* name) const { return path(name).toStdString(); }
  void write(char const* name, std::string const& text) {
    std::ofstream(at(name), std::ios::binary) << text;
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(ProjectTest)
#include "project_test.moc"
