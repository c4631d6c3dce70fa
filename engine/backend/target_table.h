/// The kinds of targets that this build knows, one for each folder under targets/ with a compiler.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"

namespace tw {

/// What the rest of the program knows of a kind of target. Its folder defines one as
/// `TargetEntry const& target_FOLDER()`; the build writes the table that names them.
struct TargetEntry {
  std::string name;  ///< the first word of its spellings, and `Hardware::target` of its devices
  /// What code can be asked for by name, without a device; `name` alone is this machine as such a
  /// target, the others say more after a colon.
  std::vector<std::string> (*spellings)();
  /// The ending of files that describe such hardware: "NAME:FILE" is a spelling, too, where the
  /// file is there. Empty: there are none.
  std::string file_ending = {};
  /// What a spelling stands for. Errors: no_such_hardware (this machine is no such target), those
  /// of reading a file.
  Result<Hardware> (*hardware)(std::string const& spelling);
  /// What runs kernels there, in words for people: of `Hardware::code` what they know. Null: no
  /// words.
  std::string (*kind)(Hardware const& hardware) = nullptr;
  /// Whether the backend can make code for what a device calls itself.
  bool (*matches)(Hardware const& hardware);
  /// Whether code that needs such a machine runs in a process of this one, without a device's.
  /// Errors: wrong_processor with what is missing.
  Status (*runs_here)(MachineNeeds const& needs);
  /// `generator`: a program in whose processes code is generated, so that a fatal error of a code
  /// generator is an error of one kernel; empty: in this process. Errors: those of the target.
  Result<std::shared_ptr<Backend const>> (*create_backend)(Hardware const& hardware,
                                                           std::string generator);
  /// All its spellings are devices that this machine can be: its processor simulates them.
  bool simulated = false;
  /// What this machine is as such a target its device says, which asks drivers: what `hardware`
  /// gives is none in particular. "NAME:PART" is one of several that are there.
  bool described_by_device = false;
  /// Its spellings but the first are hardware by name: what there is no device of can be chosen for
  /// a session, too, which makes and judges code for it, and runs nothing.
  bool described = false;
  /// Whether a simulator stands for a device that calls itself so. Null: never.
  bool (*is_simulated)(Hardware const& hardware) = nullptr;
  /// Of an accelerator, which runs kernels but no exported model alone: the target of the processor
  /// beside it; empty: of this machine's. Null: it is none.
  std::string (*beside)(std::string const& spelling) = nullptr;
  /// Roofs that follow from what the hardware is: nothing is measured. Memories before the last one
  /// that are no caches are ways to main memory with a rate of their own. Null: they are measured.
  std::optional<Roofs> (*roofs)(Hardware const& hardware) = nullptr;
  /// The schedule by rule with nothing going on beside anything else: what it takes longer is what
  /// the rule hides. Nothing: the rule hides nothing there. Null: nowhere.
  std::optional<Schedule> (*in_turn)(ir::Program const& program, Backend const& backend) = nullptr;
};

/// Sorted by their folders. Written by the build.
std::span<TargetEntry const* const> target_table();

/// All spellings of all kinds: those of one kind stand together, its name first.
std::vector<std::string> target_names();

/// Errors: unknown_target, which lists the names; no_such_hardware; those of reading a file.
Result<Hardware> target_hardware(std::string const& spelling);

/// Whether this machine's own device can be asked for by that spelling: a kind's name, or what it
/// simulates.
bool can_be_here(std::string const& spelling);

/// `TargetEntry::described_by_device` of the kind whose name the spelling begins with.
bool is_described_by_device(std::string const& spelling);

/// The spellings of `TargetEntry::described`; and whether a device's name is one of them.
std::vector<std::string> described_devices();
bool is_described(std::string const& device);

/// Of an accelerator: what runs the rest of a model beside it. Nothing for what runs models alone.
std::optional<std::string> processor_beside(std::string const& spelling);

/// This machine as the first kind of target that it is. Errors: no_such_hardware.
Result<Hardware> target_hardware_here();

/// What the first kind that matches says of it, "znver4, x86_64-linux-gnu"; empty where none does.
std::string kind_of(Hardware const& hardware);

/// Whether its own times are not those of what it stands for.
bool is_simulated(Hardware const& hardware);

/// The backend of the first kind that matches. Errors: unknown_target, those of the backend.
Result<std::shared_ptr<Backend const>> create_backend(Hardware const& hardware,
                                                      std::string generator = {});

/// `TargetEntry::roofs` and `TargetEntry::in_turn` of the first kind that matches.
std::optional<Roofs> computed_roofs(Hardware const& hardware);
std::optional<Schedule> schedule_in_turn(ir::Program const& program, Backend const& backend);

}  // namespace tw
