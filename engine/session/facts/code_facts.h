/// Facts that are read off a step's assembly, or its launches. A snapshot does not hold it: a
/// session is asked.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/session/facts/facts.h"

namespace tw::session {

class Session;
struct AssemblyReport;

std::span<FactInfo const> code_facts();
/// Of the assembly, or of the launches (launch_facts.h).
bool is_code_fact(std::string_view name);

/// Nothing: there is no such fact, or the assembly is not there yet; the session's listener is
/// called when it is. Who calls it has a session, which it is a part of (state/code_fact.cpp).
std::optional<FactValue> code_fact(std::string_view name, Session& session);
/// The same of a text, and of what is said of its hot loop.
std::optional<FactValue> code_fact(std::string_view name, CodeText const& assembly);
std::optional<FactValue> code_fact(std::string_view name, AssemblyReport const& report);
/// It is of the hot loop.
bool is_loop_fact(std::string_view name);

}  // namespace tw::session
