package figure

func init() {
	effects = append(effects, effect{"decision: {task: '0_5', rows: 4}", values("decision.task", "decision.rows"), "0_5 4"})
}
