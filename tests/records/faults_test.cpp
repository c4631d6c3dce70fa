// What happens to a store when something goes wrong: nothing is lost that was reported, and each
// reason is one sentence.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <cstring>
#include <fstream>

#include "engine/records/sqlite/schema.h"
#include "tests/records/some_trials.h"

using namespace tw;
using namespace tw::records;
using tw::testing::some_trial;
using tw::testing::some_trials;
namespace fs = std::filesystem;

namespace {

using Store = std::unique_ptr<TrialStore>;

Store opened(fs::path const& path, StoreOptions const& options = {}) {
  auto store = open_store(path, options);
  if (!store) qFatal("%s", to_sentence(store.error()).c_str());
  return std::move(*store);
}

std::string content(fs::path const& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void put(fs::path const& path, std::string const& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// Runs `work` in a process of its own; its exit status, 0 for well.
template <typename Work>
pid_t started(Work work) {
  pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  return child;
}

/// Where a child's reason is seen.
int said(Error const& error) {
  std::fprintf(stderr, "%s\n", to_sentence(error).c_str());
  return 1;
}

int status_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) qFatal("no child");
  return status;
}

/// Appends trials of ever higher numbers and says each id, until it is killed.
int append_and_say(fs::path const& path, int out, uint64_t first) {
  auto store = open_store(path);
  if (!store) return 1;
  for (uint64_t number = first;; number += 3) {
    auto ids = (*store)->append(some_trials(number, 3));
    if (!ids) return 2;
    for (size_t i = 0; i < ids->size(); ++i) {
      int64_t said[2] = {(*ids)[i], int64_t(number + i)};
      if (::write(out, said, sizeof said) != ssize_t(sizeof said)) return 3;
    }
  }
}

/// Asks a store that may be damaged for everything. The code of the first error; empty: none.
std::string asked(TrialStore& store, std::vector<Trial> const& right, bool& all_right) {
  auto found = store.find({.order = Order::kOldest, .limit = 10'000});
  if (!found) return found.error().code;
  for (StoredTrial const& stored : *found) {
    bool known = stored.id >= 1 && stored.id <= int64_t(right.size());
    all_right = all_right && known && stored.trial == right[size_t(stored.id - 1)];
  }
  auto fastest = store.find({.order = Order::kFastest, .limit = 10'000});
  if (!fastest) return fastest.error().code;
  if (auto best = store.best({}); !best) return best.error().code;
  if (auto jobs = store.jobs(); !jobs) return jobs.error().code;
  if (Status whole = store.check_all(); !whole) return whole.error().code;
  all_right = all_right && found->size() == right.size() && fastest->size() == right.size();
  return {};
}

}  // namespace

class FaultsTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    path_ = at("store.db");
  }

  void a_killed_process_loses_nothing_that_it_was_told_is_there() {
    Rng rng(1);
    std::map<int64_t, uint64_t> reported;
    uint64_t next = 0;
    for (int round = 0; round < 200; ++round, next += 100'000) {
      int pipe[2];
      QCOMPARE(::pipe(pipe), 0);
      pid_t child = started([&] { return append_and_say(path_, pipe[1], next); });
      ::close(pipe[1]);
      // Some die while they open the store, others in the midst of their work.
      if (rng.below(5) > 0) wait_for_a_word(pipe[0], reported);
      ::usleep(useconds_t(rng.below(20'000)));
      ::kill(child, SIGKILL);
      QVERIFY(WIFSIGNALED(status_of(child)));
      while (wait_for_a_word(pipe[0], reported)) {
      }
      ::close(pipe[0]);
    }
    QVERIFY(reported.size() > 100);
    Store store = opened(path_);
    QVERIFY(store->check_all());
    std::map<int64_t, uint64_t> left = reported;
    QVERIFY(each_trial(*store, {}, [&](StoredTrial const& stored) -> Status {
      auto found = left.find(stored.id);
      if (found == left.end()) return {};  // committed, and killed before it was said
      if (stored.trial != some_trial(found->second)) return bad_input("other", "another trial");
      left.erase(found);
      return {};
    }));
    QVERIFY2(left.empty(), std::to_string(left.size()).c_str());
    qInfo("%zu trials reported, %lld there", reported.size(),
          static_cast<long long>(store->count({}).value()));
  }

  void four_processes_write_at_once() {
    // They make the file together, too.
    std::vector<pid_t> children;
    for (uint64_t writer = 0; writer < 4; ++writer)
      children.push_back(started([&] {
        auto store = open_store(path_, {.durability = Durability::kFast});
        if (!store) return said(store.error());
        for (uint64_t i = 0; i < 60; ++i) {
          std::vector<Trial> trials = some_trials(writer * 1000 + i * 5, 5);
          for (Trial& trial : trials) trial.job = "writer" + std::to_string(writer);
          if (auto ids = (*store)->append(trials); !ids) return said(ids.error());
          if (auto best = (*store)->best({}); !best) return said(best.error());
        }
        return 0;
      }));
    for (pid_t child : children) QCOMPARE(status_of(child), 0);
    Store store = opened(path_);
    QVERIFY(store->check_all());
    QCOMPARE(store->count({}).value(), 1200);
    for (uint64_t writer = 0; writer < 4; ++writer) {
      auto found = store->find(
          {.job = "writer" + std::to_string(writer), .order = Order::kOldest, .limit = 1000});
      QCOMPARE(found->size(), size_t(300));
      for (uint64_t i = 0; i < 300; ++i)
        QCOMPARE((*found)[i].trial.knobs["number"], std::to_string(writer * 1000 + i));
    }
  }

  void a_store_that_many_open_at_once_is_made_by_one_of_them() {
    for (int round = 0; round < 12; ++round) {
      fs::path path = at("new" + std::to_string(round));
      int gate[2];
      QCOMPARE(::pipe(gate), 0);
      std::vector<pid_t> children;
      for (int i = 0; i < 6; ++i)
        children.push_back(started([&] {
          ::close(gate[1]);
          char none;
          (void)!::read(gate[0], &none, 1);  // until the gate is opened for all
          auto store = open_store(path, {.durability = Durability::kFast});
          if (!store) return said(store.error());
          auto ids = (*store)->append(some_trials(0, 1));
          return ids ? 0 : said(ids.error());
        }));
      ::close(gate[1]);
      for (pid_t child : children) QCOMPARE(status_of(child), 0);
      ::close(gate[0]);
      QCOMPARE(opened(path)->count({}).value(), 6);
    }
  }

  void who_waits_too_long_is_told_so() {
    Store store = opened(path_, {.milliseconds_to_wait = 50});
    Database other = Database::open(path_, 50).value();
    auto transaction = Transaction::begin(other);
    QVERIFY(transaction);
    auto ids = store->append(some_trials(0, 1));
    QCOMPARE(to_sentence(ids.error()),
             path_.string() + ": another process has been writing for too long");
    QCOMPARE(store->count({}).value(), 0);
  }

  void a_store_of_a_newer_version_is_left_alone() {
    QVERIFY(opened(path_)->append(some_trials(0, 5)));
    {
      Database database = Database::open(path_, 50).value();
      database.tidy_when_closed(true);
      QVERIFY(database.execute("PRAGMA user_version = 9"));
    }
    std::string before = content(path_);
    auto store = open_store(path_);
    QVERIFY(!store);
    QCOMPARE(to_sentence(store.error()),
             path_.string() +
                 ": this store of trials has version 9; this version of Tilewright "
                 "reads up to version " +
                 std::to_string(migrations().size()));
    QVERIFY(content(path_) == before);
  }

  void what_is_no_store_is_left_alone() {
    put(at("text"), "These are the notes of a person.\n" + std::string(3000, '.'));
    put(at("short"), "x");
    {
      Database other = Database::open(at("other"), 50).value();
      QVERIFY(other.execute("CREATE TABLE people (name TEXT)"));
    }
    for (char const* name : {"text", "short", "other"}) {
      std::string before = content(at(name));
      auto store = open_store(at(name));
      QVERIFY2(!store, name);
      QCOMPARE(store.error().code, std::string("store_corrupt"));
      QVERIFY(content(at(name)) == before);
      qInfo("%s", to_sentence(store.error()).c_str());
    }
    QCOMPARE(open_store(folder_->path().toStdString()).error().code,
             std::string("store_unwritable"));
  }

  void an_empty_file_becomes_a_store() {
    put(path_, "");
    QVERIFY(opened(path_)->append(some_trials(0, 1)));
    QCOMPARE(opened(path_)->count({}).value(), 1);
  }

  void a_damaged_file_gives_an_error_or_what_is_right() {
    std::vector<Trial> right = some_trials(0, 60);
    Job job{"a", "tune", "state", 1};
    QVERIFY(opened(path_)->append(right, &job));
    std::string whole = content(path_);
    int refused = 0, told = 0, unharmed = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      Rng rng(seed);
      std::string damaged = whole;
      // Every other one in the first pages, where the file says how it is built.
      int64_t most = seed % 2 ? int64_t(whole.size()) : std::min<int64_t>(8192, whole.size());
      for (int64_t flips = rng.between(1, 16); flips > 0; --flips)
        damaged[size_t(rng.below(most))] ^= char(1 << rng.below(8));
      if (seed % 10 == 9) damaged.resize(size_t(rng.below(int64_t(whole.size()))));
      fs::path path = at("damaged" + std::to_string(seed));
      put(path, damaged);
      auto store = open_store(path);
      if (!store) {
        ++refused;
        QVERIFY(!store.error().message.empty());
        QVERIFY2(content(path) == damaged, std::to_string(seed).c_str());
        continue;
      }
      bool all_right = true;
      std::string code = asked(**store, right, all_right);
      QVERIFY2(all_right, std::to_string(seed).c_str());
      ++(code.empty() ? unharmed : told);
    }
    qInfo("%d refused, %d told when asked, %d unharmed", refused, told, unharmed);
    QVERIFY(refused > 20 && told > 20);
  }

  void a_row_that_was_changed_by_hand_is_told() {
    QVERIFY(opened(path_)->append(some_trials(0, 5)));
    {
      Database database = Database::open(path_, 50).value();
      QVERIFY(database.execute("UPDATE trials SET samples = '[1e-9]' WHERE id = 3"));
    }
    Store store = opened(path_);
    auto found = store->find({});
    QVERIFY(!found);
    QCOMPARE(found.error().message,
             std::string("this store of trials is damaged: trial 3 is not as it was written"));
    QVERIFY(store->find({.after_id = 3}));
    QCOMPARE(store->check_all().error().code, std::string("store_corrupt"));
  }

  /// One of them is no reason to show none of the others.
  void damaged_rows_are_left_out_and_told_where_that_is_asked_for() {
    QVERIFY(opened(path_)->append(some_trials(0, 2500)));
    {
      Database database = Database::open(path_, 50).value();
      QVERIFY(database.execute(
          "UPDATE trials SET samples = '[1e-9]' WHERE id = 3 OR (id > 1000 AND id <= 2000)"));
    }
    Store store = opened(path_);
    std::vector<DamagedRow> damaged;
    auto found = store->find({.limit = 5000, .damaged = &damaged});
    QVERIFY(found);
    QCOMPARE(found->size(), size_t(1499));
    QCOMPARE(damaged.size(), size_t(1001));
    QVERIFY(damaged.back().why.find("trial 3 is not as it was written") != std::string::npos);
    // Whole pages of them, too.
    damaged.clear();
    int seen = 0;
    QVERIFY(each_trial(*store, {.damaged = &damaged}, [&](StoredTrial const&) -> Status {
      ++seen;
      return {};
    }));
    QCOMPARE(seen, 1499);
    QCOMPARE(damaged.size(), size_t(1001));
  }

  void a_password_is_never_shown() {
    for (auto [url, shown] : std::initializer_list<std::pair<char const*, char const*>>{
             {"postgresql://me:secret@db/trials", "postgresql://me@db/trials"},
             {"postgres://me:se/c@r:et@db:5432/trials", "postgres://me@db:5432/trials"},
             {"postgresql://me:s?c@db/trials", "postgresql://me@db/trials"},
             {"postgresql://me:1?c@db/trials", "postgresql://me@db/trials"},
             {"postgresql://db:5432/trials?user=me&password=secret&sslmode=require",
              "postgresql://db:5432/trials?user=me&password=...&sslmode=require"},
             {"postgresql://db/trials?password=a&sslpassword=b",
              "postgresql://db/trials?password=...&sslpassword=..."},
             {"postgresql://me@db/trials?application_name=a@b",
              "postgresql://me@db/trials?application_name=a@b"},
             {"postgresql://db:5432/trials?user=a@b", "postgresql://db:5432/trials?user=a@b"},
             {"/home/me/a:b@c.sqlite", "/home/me/a:b@c.sqlite"}})
      QCOMPARE(shown_place(url), std::string(shown));
  }

  void a_full_store_keeps_what_it_has() {
    fill(path_, {.most_bytes = 400'000});
    QVERIFY(fs::file_size(path_) <= 400'000);
  }

  void a_full_disk_keeps_what_it_has() {
    fs::path disk = at("disk");
    fs::create_directory(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=2m") != 0)
      QSKIP("this process may not make a small disk");
    fill(disk / "store.db", {});
    QCOMPARE(::umount(disk.c_str()), 0);
  }

  void a_folder_that_may_not_be_written_is_told() {
    fs::create_directory(at("fixed"));
    { QVERIFY(opened(at("fixed") / "old.db")->append(some_trials(0, 2))); }
    ::chmod(folder_->path().toUtf8(), 0755);
    ::chmod(at("fixed").c_str(), 0555);
    ::chmod((at("fixed") / "old.db").c_str(), 0444);
    std::string before = content(at("fixed") / "old.db");
    for (char const* name : {"new.db", "old.db", "deeper/new.db"}) {
      int pipe[2];
      QCOMPARE(::pipe(pipe), 0);
      pid_t child = started([&] {
        if (::geteuid() == 0 && ::setuid(65534) != 0) return 2;  // an administrator may write all
        auto store = open_store(at("fixed") / name);
        if (store) return 1;
        std::string said = store.error().code + ": " + to_sentence(store.error());
        return ::write(pipe[1], said.data(), said.size()) < 0 ? 3 : 0;
      });
      ::close(pipe[1]);
      QCOMPARE(status_of(child), 0);
      char said[1000] = {};
      QVERIFY(::read(pipe[0], said, sizeof said - 1) > 0);
      ::close(pipe[0]);
      qInfo("%s", said);
      bool folder = std::string_view(name).starts_with("deeper");
      QVERIFY(QByteArray(said).startsWith(folder ? "file_unwritable: " : "store_unwritable: "));
      QVERIFY(QByteArray(said).endsWith(": Permission denied"));
    }
    QVERIFY(content(at("fixed") / "old.db") == before);
    ::chmod(at("fixed").c_str(), 0755);
  }

  void an_older_store_becomes_a_newer_one() {
    std::vector<Trial> trials = some_trials(0, 20);
    QVERIFY(opened(path_)->append(trials));
    auto newest = int64_t(migrations().size());
    std::vector<Migration> list(migrations().begin(), migrations().end());
    list.push_back({"stars", "ALTER TABLE trials ADD COLUMN stars INTEGER NOT NULL DEFAULT 3"});
    list.push_back({"names", "CREATE TABLE names (name TEXT); INSERT INTO names VALUES ('a')"});
    {
      Database database = Database::open(path_, 50).value();
      QVERIFY(migrate(database, list));
      QVERIFY(migrate(database, list));  // nothing is left to do
      QCOMPARE(database.number("PRAGMA user_version").value(), newest + 2);
      QCOMPARE(database.number("SELECT sum(stars) FROM trials").value(), 60);
      QCOMPARE(database.number("SELECT count(*) FROM names").value(), 1);
      QVERIFY(database.execute("PRAGMA user_version = " + std::to_string(newest)));
    }
    // Rows are as they were, in the eyes of the version that wrote them.
    auto found = opened(path_)->find({.order = Order::kOldest});
    for (size_t i = 0; i < trials.size(); ++i) QVERIFY((*found)[i].trial == trials[i]);
  }

  /// As the first version made it, which knew nothing of threads.
  void a_store_of_the_first_version_is_read_and_goes_on() {
    std::vector<Trial> trials = some_trials(0, 20);
    for (Trial& trial : trials) trial.threads = 0;
    QVERIFY(opened(path_)->append(trials));
    {
      Database database = Database::open(path_, 50).value();
      QVERIFY(database.execute(
          "DROP INDEX trials_by_task; ALTER TABLE trials DROP COLUMN threads; CREATE INDEX "
          "trials_by_task ON trials (task, device, machine, seconds); PRAGMA user_version = 1"));
    }
    Trial more = some_trial(21);
    more.threads = 2;
    QVERIFY(opened(path_)->append({&more, 1}));
    trials.push_back(more);
    Store store = opened(path_);
    auto found = store->find({.order = Order::kOldest});
    QVERIFY(found && found->size() == trials.size());
    for (size_t i = 0; i < trials.size(); ++i) QVERIFY((*found)[i].trial == trials[i]);
    QVERIFY(store->check_all());
  }

  void a_step_that_fails_leaves_the_older_version() {
    QVERIFY(opened(path_)->append(some_trials(0, 20)));
    std::vector<Migration> list(migrations().begin(), migrations().end());
    list.push_back({"stars", "ALTER TABLE trials ADD COLUMN stars INTEGER"});
    list.push_back({"nonsense", "DELETE FROM trials; ALTER TABLE nowhere ADD COLUMN x"});
    {
      Database database = Database::open(path_, 50).value();
      Status status = migrate(database, list);
      QVERIFY(!status);
      QVERIFY(QString::fromStdString(status.error().message).endsWith("the step to nonsense"));
      QCOMPARE(database.number("PRAGMA user_version").value(), int64_t(migrations().size()));
    }
    Store store = opened(path_);
    QCOMPARE(store->count({}).value(), 20);
    QVERIFY(store->check_all());
  }

private:
  fs::path at(std::string const& name) const {
    return fs::path(folder_->path().toStdString()) / name;
  }

  /// Reads one report. False: there are no more.
  static bool wait_for_a_word(int from, std::map<int64_t, uint64_t>& reported) {
    int64_t said[2];
    if (::read(from, said, sizeof said) != ssize_t(sizeof said)) return false;
    reported[said[0]] = uint64_t(said[1]);
    return true;
  }

  /// Appends until there is no room, and looks at what is there then.
  static void fill(fs::path const& path, StoreOptions const& options) {
    uint64_t saved = 0;
    {
      Store store = opened(path, options);
      Result<std::vector<int64_t>> ids;
      for (; saved < 100'000; saved += 20)
        if (ids = store->append(some_trials(saved, 20)); !ids) break;
      QVERIFY(!ids);
      QCOMPARE(to_sentence(ids.error()),
               path.string() + ": the disk is full: nothing of this was saved, what was before is");
      QVERIFY(saved > 100);
      QCOMPARE(store->count({}).value(), int64_t(saved));
      QCOMPARE(store->append(some_trials(saved, 20)).error().code, std::string("store_full"));
    }
    Store store = opened(path, options);
    QVERIFY(store->check_all());
    QCOMPARE(store->count({}).value(), int64_t(saved));
  }

  std::unique_ptr<QTemporaryDir> folder_;
  fs::path path_;
};

QTEST_GUILESS_MAIN(FaultsTest)
#include "faults_test.moc"
