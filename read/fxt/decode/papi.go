package decode

import (
	"fmt"
	"strings"
)

// presets are the counters that PAPI has on all machines, by their numbers.
var presets = strings.Fields(`
	L1_DCM L1_ICM L2_DCM L2_ICM L3_DCM L3_ICM L1_TCM L2_TCM L3_TCM CA_SNP CA_SHR CA_CLN CA_INV CA_ITV L3_LDM L3_STM
	BRU_IDL FXU_IDL FPU_IDL LSU_IDL TLB_DM TLB_IM TLB_TL L1_LDM L1_STM L2_LDM L2_STM BTAC_M PRF_DM L3_DCH TLB_SD CSR_FAL
	CSR_SUC CSR_TOT MEM_SCY MEM_RCY MEM_WCY STL_ICY FUL_ICY STL_CCY FUL_CCY HW_INT BR_UCN BR_CN BR_TKN BR_NTK BR_MSP BR_PRC
	FMA_INS TOT_IIS TOT_INS INT_INS FP_INS LD_INS SR_INS BR_INS VEC_INS RES_STL FP_STAL TOT_CYC LST_INS SYC_INS L1_DCH L2_DCH
	L1_DCA L2_DCA L3_DCA L1_DCR L2_DCR L3_DCR L1_DCW L2_DCW L3_DCW L1_ICH L2_ICH L3_ICH L1_ICA L2_ICA L3_ICA L1_ICR
	L2_ICR L3_ICR L1_ICW L2_ICW L3_ICW L1_TCH L2_TCH L3_TCH L1_TCA L2_TCA L3_TCA L1_TCR L2_TCR L3_TCR L1_TCW L2_TCW
	L3_TCW FML_INS FAD_INS FDV_INS FSQ_INS FNV_INS FP_OPS SP_OPS DP_OPS VEC_SP VEC_DP REF_CYC`)

// presetMask marks the numbers of presets; others are of the machine that wrote
// the trace, and only its PAPI library knows their names.
const presetMask = 0x80000000

// papiName is the name of a hardware counter, of which the trace has the number.
func papiName(code uint32) string {
	if i := code &^ presetMask; code&presetMask != 0 && int(i) < len(presets) {
		return "PAPI_" + presets[i]
	}
	return fmt.Sprintf("PAPI %#x", code)
}

// counter is the entry of a hardware counter in Papi.Event.
func (r *rank) counter(code uint32) int32 {
	i := r.tasks.counters.get(uint64(code))
	if i < 0 {
		i = r.out.Papi.Event.Intern(papiName(code))
		r.tasks.counters.put(uint64(code), i)
	}
	return i
}

// papiValue is a hardware counter of a task.
func papiValue(r *rank, a *args) {
	p := &r.out.Papi
	p.Job.AppendCode(r.code(&p.Job, a.v[1]))
	p.Event.AppendIndex(r.counter(uint32(a.v[0])))
	p.Value = append(p.Value, a.int(2))
}
