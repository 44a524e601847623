// The invariants of safety.md 1 as checks on a ModelState: what a decision says, what a write
// stores, and what a model at rest looks like. They judge the engine from outside: by the store, by
// what the engine was told, and by arithmetic of their own. Each answers with what is broken, and
// with nothing when all is well.
#pragma once

#include <string>
#include <vector>

#include "engine/decision.h"
#include "verify/explorer/model_state.h"

namespace windlass::verify::explorer {

// A4, A7, A8, B1-B8, C1, C6, D1, O3, P1, P2, P4, P6, P7, T2, T7, T8: asked when the engine has
// decided.
std::vector<std::string> check_decision(ModelState& model, const engine::Decision& decision);
// C1 and what verify/engine/invariants.h checks: asked when the store takes a write.
std::vector<std::string> check_stored_status(const ModelState& model,
                                             const engine::JobStatus& next);
std::vector<std::string> check_created(const ModelState& model, const Write& write);
std::vector<std::string> check_released(const ModelState& model, const Write& write,
                                        const Pod& pod);
// A decision is one round: while an answer is missing there is no other. Asked after every step.
std::vector<std::string> check_round(const ModelState& model);
// A5, A7, C7, F5, L1, L2: asked when nothing more happens.
std::vector<std::string> check_rest(const ModelState& model);

// History: who has been in the uncounted lists; whose finalizer was taken by others.
void note_listed(ModelState& model, const Write& write);
void note_robbed(ModelState& model, Pod& pod);
void note_released(ModelState& model, const Write& write, Pod& pod);
// History: which indexes a status forgets.
void note_cut(ModelState& model, const engine::JobStatus& next);

// The status part of check_decision().
std::vector<std::string> check_drafted_status(const ModelState& model,
                                              const engine::JobStatus& next);

}  // namespace windlass::verify::explorer
