/// Proposals of a search on their way to the device: what is not worth compiling and what is known
/// is left out, the rest is compiled ahead, while another one is measured.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "engine/compile/kernel_code.h"
#include "engine/tuner/search/search.h"
#include "engine/tuner/tune.h"

namespace tw {

struct Compiled {
  Candidate candidate;
  Result<KernelCode> code;
  int number = 0;  ///< in the order in which they were proposed
  int losses = 0;  ///< how often the device was lost that had it,
  int made = 0;    ///< and how many trials there were when it was first
};
/// What choosing and compiling took, in seconds of all threads that did it.
struct ProposalCosts {
  double proposing = 0;  ///< the search, and its candidates' schedules
  double compiling = 0;
};

class Proposals {
public:
  /// Compiles on a thread of its own, as many as there may be trials; some before they are asked
  /// for, or (without `overlap`) only while somebody waits for one: who would wait compiles, too.
  /// None of `known` is proposed. `takers`: threads that call `next`.
  Proposals(Space const& space, Search& search, TuneOptions const& options, int takers = 1,
            std::vector<Candidate> const& known = {});
  ~Proposals();
  Proposals(Proposals const&) = delete;

  /// Nothing: there is no other one. Errors: those of the space.
  Result<std::optional<Compiled>> next();
  /// One that is compiled already, and has code that makes nothing at load.
  std::optional<Compiled> another();
  /// So many are taken at a time by somebody: they are compiled ahead.
  void expect(int at_a_time);
  void tell(Candidate const& candidate, std::optional<double> seconds);
  /// Nothing is known of it, and nobody will try it again: the search learns nothing.
  void drop();
  /// Of a device that was lost: somebody else takes it next.
  void put_back(Compiled compiled);

  std::map<std::string, int> rejected() const;
  int repeated() const;
  ProposalCosts costs() const;

private:
  void work();
  enum class Made : uint8_t { kOne, kNone, kBusy };
  /// Chooses and compiles one. kNone: there is none (now, where `may_wait` is not set).
  Made make_one(bool may_wait);
  void compile(Candidate candidate, int number, double proposing);
  /// The schedule by rule is the first, however long others took to compile.
  bool is_ready() const { return !ready_.empty() && (first_is_out_ || ready_.front().number == 0); }
  /// Of what is known from earlier, then of the search.
  Result<std::optional<Candidate>> proposed();
  /// A candidate that is new; nothing: the search knows no more, or not before it is told what
  /// became of others, for which it is waited where `may_wait` is set.
  Result<std::optional<Candidate>> fresh(bool may_wait, int& number);

  Space const& space_;
  Search& search_;
  TuneOptions const& options_;
  size_t known_points_ = 0;  ///< of `options_.first`, that were proposed
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Compiled> ready_;
  std::set<std::string> known_;  ///< scripts
  std::map<std::string, int> rejected_;
  int repeated_ = 0;
  ProposalCosts costs_;
  int untold_ = 0;                ///< proposed, and nobody has said what they took
  int begun_ = 0;                 ///< that were or are compiled
  size_t ahead_;                  ///< that may be ready
  int making_ = 0, most_making_;  ///< threads that choose or compile
  int waiting_ = 0;               ///< threads in `next`
  int proposed_ = 0;
  bool first_is_out_ = false;
  bool ended_ = false, closed_ = false;
  std::optional<Error> failure_;
  std::jthread worker_;  ///< the last: it begins at once
};

}  // namespace tw
