/// What a person made of an open model, and would lose with it: steps, notes, names, layouts, cuts,
/// shapes, kernels of their own. It is derived from what there is, whatever made it; times and
/// which kernel is looked at are no part of it.
#pragma once

namespace tw::session {

class Session;

/// Something is not as it was when the model was opened, or when `mark_work_kept` was called last.
bool work_has_changed(Session const& session);
/// It is in a file now.
void mark_work_kept(Session& session);

}  // namespace tw::session
