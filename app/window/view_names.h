// SPDX-License-Identifier: GPL-3.0-or-later
/// How journals call what the window shows.
#pragma once

#include <QAbstractScrollArea>
#include <QString>
#include <string>
#include <vector>

#include "engine/session/values.h"

namespace tw {

/// "LLVM IR" -> "llvm_ir"
QString view_name(QString const& tab_text);
/// The name of what is scrolled; empty: it has none.
QString scroll_name(QAbstractScrollArea const* area);
/// A node's name where it is the only one that has it, else "#12".
std::string node_reference(std::vector<session::GraphNodeView> const& nodes, int id);
/// -1: there is none.
int node_called(std::vector<session::GraphNodeView> const& nodes, std::string const& reference);

}  // namespace tw
