/// Where trials stay: rows that are appended, asked for and never changed. An interface, since a
/// team shares a database server and one person needs none.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/records/trial.h"
#include "engine/support/files.h"

namespace tw::records {

struct StoredTrial {
  int64_t id = 0;  ///< from 1, in the order in which they came
  Trial trial;
  bool operator==(StoredTrial const&) const = default;
};

enum class Order : uint8_t {
  kNewest,
  kOldest,
  kFastest,  ///< those without a time come last
  kSlowest,  ///< those without a time come first
};

/// A row that is not as it was written.
struct DamagedRow {
  int64_t id = 0;
  std::string why;  ///< a sentence
};

/// Which trials; what is not said does not matter.
struct Query {
  std::optional<uint64_t> task;
  std::optional<std::string> task_name;  ///< which other models may give to other kernels
  std::optional<std::string> device;
  std::optional<std::string> machine;
  std::optional<Outcome> outcome;
  std::optional<std::string> job;
  std::optional<int> threads;
  /// In a name, the knobs (as they are stored, or printed: "C.block.j=64"), the steps or the
  /// reason; ASCII letters of any case.
  std::string text;
  int64_t after_id = 0;  ///< only those that came later
  /// Only those up to here: pages stay what they are while others append.
  int64_t up_to_id = std::numeric_limits<int64_t>::max();
  Order order = Order::kNewest;
  int64_t offset = 0;   ///< the page: how many to skip,
  int64_t limit = 100;  ///< and how many to give
  /// Where damaged rows are noted, which are left out then; null: the first one is an error.
  std::vector<DamagedRow>* damaged = nullptr;
};

/// What there is to choose from, each sorted.
struct StoredNames {
  std::vector<std::string> tasks, devices, jobs;  ///< no name of a job is empty
  bool operator==(StoredNames const&) const = default;
};

/// A note of a search, so that it goes on after a crash.
struct Job {
  std::string id;
  std::string what;   ///< what was asked for
  std::string state;  ///< how far it is, in the search's own words
  double unix_time = 0;
  bool operator==(Job const&) const = default;
};

/// Used by one thread at a time; threads and processes each open their own.
/// Errors of all: store_full, store_busy, store_unwritable, store_corrupt, store_failed; of a
/// server store_away and store_lost, too. A call that fails changes nothing.
class TrialStore {
public:
  virtual ~TrialStore() = default;

  /// All of them or none, and the job's note with them, where one is given. They outlive any end of
  /// this process once it has returned. Returns their ids. Errors: bad_trial.
  virtual Result<std::vector<int64_t>> append(std::span<Trial const> trials,
                                              Job const* job = nullptr) = 0;

  virtual Result<std::vector<StoredTrial>> find(Query const& query) = 0;
  /// How many there are, order and page aside.
  virtual Result<int64_t> count(Query const& query) = 0;
  /// The fastest right one of each task on each device (a name and the machine behind it) with each
  /// number of threads, among those of the query, order and page aside; by task.
  virtual Result<std::vector<StoredTrial>> best(Query const& query) = 0;

  virtual Result<StoredNames> names() = 0;  ///< of all trials

  /// Replaces the note of that id.
  virtual Status note(Job const& job) = 0;
  virtual Result<std::optional<Job>> job(std::string const& id) = 0;
  virtual Result<std::vector<Job>> jobs() = 0;  ///< the last noted first

  /// Reads everything; takes seconds where there is much. Errors: store_corrupt.
  virtual Status check_all() = 0;
  /// Gives unused space back to the disk.
  virtual Status vacuum() = 0;
};

struct StoreOptions {
  Durability durability = Durability::kSynced;
  int milliseconds_to_wait = 10'000;  ///< while another process writes
  int64_t most_bytes = 0;             ///< that the file may take; 0: as the disk allows
};

/// By a path the store in one file, which is made where it is missing; several processes may have
/// it open. By a URL ("postgresql://USER@HOST/DATABASE") the one that a team shares on a server,
/// which keeps its files as it was set up to: of the options only the time to wait counts. Errors:
/// store_newer, store_corrupt (what is there is left as it is), store_unwritable, store_busy; of a
/// server store_away, store_refused.
Result<std::unique_ptr<TrialStore>> open_store(std::string const& place,
                                               StoreOptions const& options = {});

/// Whether this is the URL of a server, not a file's path.
bool is_server(std::string_view place);
/// For people: a URL without its password.
std::string shown_place(std::string const& place);

/// Every trial of the query in the order in which they came, order and page aside, in pieces: a
/// store may be larger than memory. Ends with the first error of `visit`.
Status each_trial(TrialStore& store, Query query,
                  std::function<Status(StoredTrial const&)> const& visit);

}  // namespace tw::records
